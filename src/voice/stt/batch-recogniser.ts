import { charBefore, charAfter, isSpacedLetter } from '../../text/letters.ts';
import type { ServiceClient } from '../../api/client.ts';

import type {
  Recognised,
  Recogniser,
  RecognitionHints,
  RecognitionRequest,
  Recognition,
} from '../../ports/recogniser.ts';
import { utteranceFile, type Utterance } from './utterance.ts';

/** Local agreement: of what is recognised again and again, only what two runs agree on is sure. */
export interface LocalAgreement {
  /** Takes the text of the next run; the result is all that is sure by now, and only ever grows. */
  add(text: string): string;
}

const mark = /^\p{M}/u;

/** Recognisers end what they have heard so far with a full stop, wherever it breaks off. */
const unsureEnd = /[\p{P}\p{Z}\s]+$/u;

/** Whether `at` is within a word, or between a letter and its marks. */
const splits = (text: string, at: number): boolean => {
  const before = charBefore(text, at);
  const after = charAfter(text, at);
  return mark.test(after) || (isSpacedLetter(before) && isSpacedLetter(after));
};

/** What both begin with, in whole words; of scripts without spaces, in whole signs. */
export const agreedStart = (a: string, b: string): string => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // Neither half of a pair of surrogates stands alone.
  if ((a.charCodeAt(at - 1) & 0xfc00) === 0xd800) at -= 1;
  while (at > 0 && (splits(a, at) || splits(b, at))) at -= charBefore(a, at).length;
  return a.slice(0, at).replace(unsureEnd, '');
};

export const createLocalAgreement = (): LocalAgreement => {
  let sure = '';
  let before: string | undefined;
  return {
    add: (text) => {
      const agreed = before === undefined ? '' : agreedStart(before, text);
      before = text;
      if (agreed.startsWith(sure)) sure = agreed;
      return sure;
    },
  };
};

export interface BatchRecogniserDeps {
  readonly client: Pick<ServiceClient, 'transcribe'>;
}

export interface BatchRecogniserOptions {
  /**
   * A growing utterance is recognised again when so much more was said, or a quarter of it where that
   * is more: parts of 15 s are sent 7 times and hold 2.6 times its sound; of no length do they hold
   * more than 4 times. 0: only what has ended. Default 1,200.
   */
  readonly partialEveryMs?: number;
}

const PARTIAL_EVERY_MS = 1_200;
const PARTIAL_EVERY_SHARE = 0.25;
/** A request may still be under way when the next is due, and is looked after as often as this. */
const LOOKS_A_PARTIAL = 4;

/** What comes later than this was overtaken by what was said since. */
const PARTIAL_DEADLINE_MS = 4_000;

/** Recognises with one request an utterance, and others, one at a time, while it grows. */
class BatchRecognition implements Recognition {
  readonly #client: BatchRecogniserDeps['client'];
  readonly #request: RecognitionRequest;
  readonly #partialEveryMs: number;
  readonly #agreement = createLocalAgreement();
  #running: AbortController | undefined;
  #sentMs = 0;
  #sure = '';
  /** It has ended, or its parts cannot be recognised: parts are not worth a second fault. */
  #isDone = false;

  constructor(
    { client }: BatchRecogniserDeps,
    request: RecognitionRequest,
    partialEveryMs: number,
  ) {
    this.#client = client;
    this.#request = request;
    this.#partialEveryMs = partialEveryMs;
  }

  grow(utterance: Utterance): void {
    const dueMs = Math.max(this.#partialEveryMs, utterance.spanMs * PARTIAL_EVERY_SHARE);
    const isDue = utterance.spanMs - this.#sentMs >= dueMs;
    if (this.#partialEveryMs === 0 || this.#isDone || this.#running || !isDue) return;
    this.#sentMs = utterance.spanMs;
    void this.#recognisePart(utterance);
  }

  async end(utterance: Utterance, deadlineMs: number): Promise<Recognised> {
    this.#isDone = true;
    this.#running?.abort();
    return this.#transcribe(utterance, { signal: this.#request.signal, deadlineMs });
  }

  async #recognisePart(utterance: Utterance): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    try {
      const recognised = await this.#transcribe(utterance, {
        signal: AbortSignal.any([running.signal, this.#request.signal]),
        deadlineMs: PARTIAL_DEADLINE_MS,
        hasOtherWay: true,
      });
      if (this.#isDone || this.#request.signal.aborted) return;
      const sure = this.#agreement.add(recognised.text.trim());
      if (sure === this.#sure) return;
      this.#sure = sure;
      this.#request.partial({ ...recognised, text: sure });
    } catch {
      // The whole utterance is sent yet, and tells what is wrong.
      this.#isDone = true;
    } finally {
      this.#running = undefined;
    }
  }

  async #transcribe(
    utterance: Utterance,
    options: Parameters<ServiceClient['transcribe']>[2],
  ): Promise<Recognised> {
    const { hotwords, language }: RecognitionHints = await this.#request.hints;
    options.signal.throwIfAborted();
    const { audio } = utteranceFile(utterance);
    return this.#client.transcribe(
      audio,
      {
        ...(language ? { language } : {}),
        ...(hotwords.length > 0 ? { hotwords: [...hotwords] } : {}),
      },
      options,
    );
  }
}

/** Recognises by requests that hold whole files. */
export const createBatchRecogniser = (
  deps: BatchRecogniserDeps,
  { partialEveryMs = PARTIAL_EVERY_MS }: BatchRecogniserOptions = {},
): Recogniser => ({
  growEveryMs: partialEveryMs / LOOKS_A_PARTIAL,
  begin: (request) => new BatchRecognition(deps, request, partialEveryMs),
});
