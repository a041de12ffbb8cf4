import { toAppError } from '../../src/errors.ts';
import { meaningsIn } from '../../src/text/protect/meanings.ts';
import type {
  Engine,
  EngineContext,
  EngineTranslationRequest,
  TranslationEngine,
} from '../engine.ts';
import { createBatch, translateTogether } from '../translation/together.ts';
import { translateWithSlots, type LineTranslator } from '../translation/with-slots.ts';
import { followed } from './followed.ts';
import type { BackEnd, Upstream } from './http.ts';

/** Longest wait for what a server tells of itself. */
const TOLD_TIMEOUT_MS = 5_000;

/** A server's own codes of two languages. */
export interface Pair {
  readonly source: string;
  readonly target: string;
}

/** A server that translates several texts in a request; `Told` is what it tells of itself. */
export interface TranslationServer<Told> {
  readonly name: string;
  readonly rank: number;
  readonly variable: string;
  /** The server's address and key; undefined where it is not set up. */
  readonly backEnd: BackEnd | undefined;
  /** Time after which the server is asked again what it tells. */
  readonly freshMs: number;
  readonly tell: (upstream: Upstream, signal: AbortSignal) => Promise<Told>;
  readonly describe: (told: Told) => string;
  /** The server's codes for a pair that it translates. */
  readonly pairOf: (told: Told, from: string, to: string) => Pair | undefined;
  /** Longest text of a piece, in UTF-16 units, and the most of them in a request. */
  readonly longest: (told: Told) => number;
  readonly most: () => number;
  /** Translates texts in a request; resolves with as many. */
  readonly send: (
    upstream: Upstream,
    texts: readonly string[],
    asked: Pair & { readonly request: EngineTranslationRequest; readonly told: Told },
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
  /** Makes the translator of a line of one that translates a text; see `LineTranslator`. */
  readonly translator: (
    translate: (text: string) => Promise<string>,
  ) => Omit<LineTranslator, 'reads'>;
}

/** Creates the engine for a server that translates. */
export const createTranslationServer = <Told>(
  server: TranslationServer<Told>,
  { log }: Pick<EngineContext, 'log'>,
): Engine => {
  const { name, rank, variable, backEnd } = server;
  const connect = async (): Promise<Upstream | undefined> =>
    backEnd && (await import('./http.ts')).createUpstream(backEnd, log);
  const connected = connect();
  const told = followed(async () => {
    const upstream = await connected;
    return upstream && server.tell(upstream, AbortSignal.timeout(TOLD_TIMEOUT_MS));
  }, server.freshMs);
  const pairOf = (from: string, to: string): Pair | undefined => {
    const known = told.known();
    const pair = known && server.pairOf(known, from, to);
    return pair?.source === pair?.target ? undefined : pair;
  };

  const translation: TranslationEngine = {
    translates: (from, to) => pairOf(from, to) !== undefined,
    translate: async function* (request, signal) {
      const { text, tokens, from, to } = request;
      const pair = pairOf(from, to);
      const known = told.known();
      const upstream = await connected;
      if (!pair || !upstream || !known) return;
      const asked = { ...pair, request, told: known };
      const batch = createBatch(server.most(), (texts) =>
        server.send(upstream, texts, asked, signal),
      );
      const translator = { ...server.translator(batch), reads: () => true };
      const translate = (core: string): Promise<string> =>
        translateWithSlots(core, meaningsIn(core, tokens), translator);
      yield {
        text: await translateTogether({ text, from, to }, server.longest(known), translate),
        model: `${name}-${pair.source}-${pair.target}`,
      };
    },
  };

  return {
    name,
    serves: ['translation'],
    rank,
    concurrent: 8,
    abilities: async () => ((await told.current()) ? { translation } : {}),
    report: async () => {
      const known = await told.current();
      const fault = told.fault();
      const detail = known ? server.describe(known) : `set ${variable}`;
      return {
        name,
        serves: ['translation'],
        ready: known !== undefined && fault === undefined,
        fails: fault !== undefined,
        detail: fault === undefined ? detail : `${variable}: ${toAppError(fault).message}`,
      };
    },
    // Who has no such server need not hear of it.
    remedy: ({ ability }) => {
      const fault = ability === 'translation' ? told.fault() : undefined;
      return fault === undefined ? undefined : `look at ${variable}, whose server does not work`;
    },
    [Symbol.asyncDispose]: async () => {
      await (await connected)?.[Symbol.asyncDispose]();
    },
  };
};
