// The public types of the package, which is given out with this file as its declarations: it names nothing of the sources beside it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { z } from 'zod';

/** Who pays. */
export interface Payer {
  /** The checksummed address of the wallet. */
  readonly payer: string;
  /** The network, if only a contract there has proven the payer; null otherwise. */
  readonly onlyOn: string | null;
}

/** What `prepare` knows of the call. Nothing is charged yet. */
export interface PreparedCall<Refusal extends string> extends Payer {
  readonly paidCallId: string;
  /** Aborted when `prepare` has taken too long: the call is refused then. */
  readonly signal: AbortSignal;
  /** The error that refuses the call: throw it. Nothing is charged. */
  refuse(reason: Refusal): Error;
}

/** What `run` knows of the call. It is paid. */
export interface PaidCall<Failure extends string, Prepared> extends Payer {
  /** The same in every attempt, so that an effect can be made once only. */
  readonly paidCallId: string;
  readonly transactionHash: string | null;
  /** The result of `prepare`; null without one. */
  readonly prepared: Prepared;
  /** Aborted when this attempt has taken `timeoutSeconds`: it counts as failed, and another one may begin. */
  readonly signal: AbortSignal;
  /** The error that ends the call: throw it. The payment is kept, and every retry gets the same response. */
  fail(reason: Failure): Error;
}

/** Something to sell. */
export interface Sale<
  In extends z.ZodObject,
  Out extends z.ZodType,
  Refusal extends string,
  Failure extends string,
  Prepared,
> {
  /** Lower-case words, such as `words.count`. Never change it: calls are stored under it. */
  readonly id: string;
  /** The path that is paid over x402. Segments in braces are fields of the input: `/reports/{id}`. */
  readonly path: string;
  /**
   * The path that is paid over MPP, which needs an EVM network: by default `/mpp` and the other path. Null if it is not sold over
   * MPP.
   */
  readonly mppPath?: string | null;
  /** POST by default. Only POST has a body. */
  readonly method?: 'POST' | 'GET' | 'DELETE';
  /** USDC, decimal: `0.001`. */
  readonly price: string;
  /** A heading of a few words. */
  readonly title: string;
  /** What it does, for buyers: a sentence or two. */
  readonly summary: string;
  /**
   * An object, of which JSON can express what is sent and what is parsed. Where the path has fields of it, it must not have rules
   * of its own beside those of its fields.
   */
  readonly input: In;
  readonly output: Out;
  readonly example: { readonly input: z.input<In>; readonly output: z.input<Out> };
  /** 64 KiB by default. */
  readonly bodyBytesMax?: number;
  /** How long an attempt of `run` may take: 60 by default. After that it counts as failed. `prepare` has 20 at most. */
  readonly timeoutSeconds?: number;
  /** Why `prepare` may refuse a call: what its buyer is told, by reason. */
  readonly refusals?: Readonly<Record<Refusal, string>>;
  /** Why `run` may fail for good: what its buyer is told, by reason. */
  readonly failures?: Readonly<Record<Failure, string>>;
  /**
   * Checks, and work that can fail without consequences, before the charge. Its result (JSON) is handed to `run`. Any error
   * refuses the call, and nothing is charged.
   */
  readonly prepare?: (input: z.output<In>, call: PreparedCall<Refusal>) => Promise<Prepared>;
  /**
   * Set if `run` must not be repeated by itself, because each attempt costs money. Then only a retry by the buyer repeats it.
   */
  readonly callsThirdParty?: true;
  /**
   * Delivers, after the payment is settled. It must be safe to repeat: after a crash or an error it runs again with the same
   * `paidCallId`.
   */
  readonly run: (input: z.output<In>, call: PaidCall<Failure, Prepared>) => Promise<z.input<Out>>;
}

/** A network that a paywall takes payments on: made by `evm` here, or by `solana` of `tuppence-paywall/solana`. */
export interface PaywallNetwork {
  readonly name: string;
  /** Whether its USDC has no value. */
  readonly isTest: boolean;
}

export interface EvmOptions {
  readonly network: 'base' | 'polygon' | 'arbitrum' | 'base-sepolia' | 'polygon-amoy' | 'arbitrum-sepolia';
  /** HTTP URLs of nodes. If one fails or is slow, the next one is asked. */
  readonly rpcUrls: readonly string[];
  /** The address that gets the payments. Nothing here needs its key. */
  readonly payTo: string;
  /** Private keys of accounts with a little of the network's coin, which send the payments to the chain. No others may use them. */
  readonly settlementKeys: readonly string[];
  /** The USDC contract, if it is not Circle's, as on a local chain. */
  readonly usdc?: string;
  /** After how many blocks a payment is final: by default about half an hour. */
  readonly finalityBlocks?: number;
}

/** Where a paywall keeps its calls, payments and transactions: `memoryStore` here, or `postgresStore` of `tuppence-paywall/postgres`. */
export interface Store {
  readonly kind: string;
}

export interface PaywallOptions {
  /** The seller's name in challenges: at most 32 printable ASCII characters. */
  readonly name: string;
  /** The origin under which buyers reach what is sold: `https://api.example.com`. */
  readonly publicUrl: string;
  /**
   * Base64 of 32 random bytes (`openssl rand -base64 32`), the newest first. The first signs challenges and receipts; the others
   * are still accepted.
   */
  readonly secrets: readonly [string, ...string[]];
  readonly networks: readonly PaywallNetwork[];
  readonly store: Store;
  /** The page about refunds, for challenges. */
  readonly refundsUrl?: string;
  /** Whether pages of any origin may buy and read the answers (CORS). Off by default. */
  readonly cors?: boolean;
  /** How many proxies add to X-Forwarded-For. */
  readonly trustedProxies?: number;
  /** A log of pino. By default warnings and errors are written to the standard output. */
  readonly log?: Logger;
}

/** A handler of requests as the platform defines them. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Sells what `sell` declares. */
export interface Paywall {
  /**
   * Declares something to sell.
   * @returns the handler of its paths, for a host with routes of its own
   * @throws Error when the entry is malformed, or its id or a path is taken
   */
  sell<
    In extends z.ZodObject,
    Out extends z.ZodType,
    Refusal extends string = never,
    Failure extends string = never,
    Prepared = null,
  >(sale: Sale<In, Out, Refusal, Failure, Prepared>): FetchHandler;
  /** Answers requests to everything that is sold and to the documents about it; others with 404. */
  readonly fetch: FetchHandler;
  /** The same for `createServer` of Node. With `next`, it gets the requests to other paths. */
  readonly listener: (req: IncomingMessage, res: ServerResponse, next?: () => void) => void;
  /**
   * Starts the background work, which finishes interrupted calls. The first request does so too. Resolves once the networks are
   * checked; rejects when the store cannot be used.
   */
  start(): Promise<void>;
  /**
   * Ends the background work, waits up to 10 seconds for calls that are under way, and closes the store. Later requests get 503.
   */
  stop(): Promise<void>;
}

/**
 * Opens a paywall. Nothing is started yet.
 * @throws Error when an option is malformed
 */
export declare function createPaywall(options: PaywallOptions): Paywall;

/**
 * Takes payments in USDC on an EVM network.
 * @throws Error when an option is malformed
 */
export declare function evm(options: EvmOptions): PaywallNetwork;

/**
 * Keeps everything in the memory of this process for a day, so a call that is paid when the process ends is lost. For trying out
 * and for tests.
 */
export declare function memoryStore(): Store;
