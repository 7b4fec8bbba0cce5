import { balance, setupLink, topupLink } from './account';
import { recent, remove, renew, upload } from './files';
import { bookingLinks, offerDetails, searchAirports, searchFlights } from './flights';
import { formResponses, operationTools } from './operations';
import type { AdapterTool } from './tool';

export type { AdapterTool } from './tool';
export {
  balance,
  bookingLinks,
  formResponses,
  offerDetails,
  operationTools,
  recent,
  remove,
  renew,
  searchAirports,
  searchFlights,
  setupLink,
  topupLink,
  upload,
};

/** The tools that the adapter has by default, in the order in which assistants see them. */
export const basicTools: readonly AdapterTool[] = [
  upload,
  searchFlights,
  searchAirports,
  offerDetails,
  renew,
  remove,
  recent,
  balance,
  topupLink,
  setupLink,
  bookingLinks,
];

/** All tools, which the adapter has with `TUPPENCE_TOOLS=all`. */
export const adapterTools: readonly AdapterTool[] = [
  ...basicTools,
  ...operationTools.map(({ tool }) => tool),
  formResponses,
];
