import {
  type Action,
  breakAnswer,
  claimFailure,
  delayAnswer,
  falsify,
  loseRequest,
  repeatRequest,
} from '../../support/rpc-proxy';

/** Faults of a single message to a node, for tests that break each message in turn. */
export const messageFaults: Record<string, Action> = {
  'is lost before it arrives': loseRequest,
  'loses its answer': breakAnswer('close'),
  'is answered by half': breakAnswer('truncate'),
  'is answered 500 by a gateway': breakAnswer('status-500'),
  'is said to have failed': claimFailure('internal error'),
  'is answered late': delayAnswer(500),
  'arrives twice': repeatRequest,
  'has no result': falsify(() => null),
};
