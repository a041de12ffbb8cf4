import type { ServiceClient } from '../../src/api/client.ts';
import type {
  Recogniser,
  Recognition,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
  UtterancePacket,
} from '../../src/ports/recogniser.ts';

/** SILK and CELT, 20 ms, mono, with the voice bit; followed by a mark and the number of a word. */
const VOICED = [0x78, 0x80] as const;
const MARK = [0xd7, 0x3a] as const;
const SILENT = Uint8Array.of(0x78, 0, 0, 0, 0, 0);
const PACKET_SAMPLES = 960;
const PACKET_MS = 20;

/** Packets of one word: 1.2 s. */
export const WORD_PACKETS = 60;
const PAUSE_PACKETS = 60;

const known: string[] = [];
const numberOf = (word: string): number => {
  if (!known.includes(word)) known.push(word);
  return known.indexOf(word);
};

/** A packet of a word, as a speaker sends it. */
export const wordPacket = (word: string): Uint8Array =>
  Uint8Array.of(...VOICED, ...MARK, numberOf(word), 1);
export const silentPacket = (): Uint8Array => SILENT;

/** Finds the word in a packet. */
type WordIn = (data: Uint8Array) => string | undefined;

export const wordIn: WordIn = (data) =>
  data[2] === MARK[0] && data[3] === MARK[1] ? known[data[4]!] : undefined;

export const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** Each word of some packets once, in their order. */
const wordsIn = (
  packets: readonly Pick<UtterancePacket, 'data'>[],
  read: WordIn = wordIn,
): string[] =>
  packets
    .map(({ data }) => read(data))
    .filter((word) => word !== undefined)
    .filter((word, at, all) => word !== all[at - 1]);

export interface SpeechOptions {
  /** Only so many packets from the beginning. */
  readonly packets?: number;
  /** A pause after so many words. */
  readonly pauseAfter?: number;
}

/** An utterance of words. */
export const speechOf = (
  words: readonly string[],
  { packets: most = Infinity, pauseAfter }: SpeechOptions = {},
): Utterance => {
  const sounds = words.flatMap((word, at) => [
    ...Array.from({ length: WORD_PACKETS }, () => wordPacket(word)),
    ...(at + 1 === pauseAfter ? Array.from({ length: PAUSE_PACKETS }, silentPacket) : []),
  ]);
  const packets = sounds.slice(0, most).map((data, at) => ({
    data,
    sequence: 100 + at,
    samples: PACKET_SAMPLES,
    gapSamples: 0,
    isVoice: true,
  }));
  const spanMs = packets.length * PACKET_MS;
  return {
    id: 1,
    speakerId: 'ann',
    startMs: 0,
    endMs: spanMs,
    preRoll: [],
    packets,
    voiceMs: spanMs,
    spanMs,
    isContinued: false,
  };
};

const resultOf = (words: readonly string[]): RecognitionResult => ({
  text: words.join(' '),
  language: 'en',
  confidence: 0.9,
});

/** A service that transcribes the words in a file. */
export const wordClient: Pick<ServiceClient, 'transcribe'> = {
  transcribe: async (audio, _, { signal }) => {
    const bytes = Buffer.concat(await Array.fromAsync(audio.open()));
    await new Promise(setImmediate);
    signal.throwIfAborted();
    const found: string[] = [];
    for (let at = 0; at + 2 < bytes.length; at += 1) {
      const word = wordIn(bytes.subarray(at - 2, at + 3));
      if (word !== undefined && word !== found.at(-1)) found.push(word);
    }
    return resultOf(found);
  },
};

/** State of a streaming service, for the test to change. */
export interface StreamingService {
  /** True: nothing is answered from now on. */
  hangs: boolean;
  /** Faults with which the next recognitions fail. */
  faults: Error[];
  /** Recognitions that were started, and those that were asked to finish. */
  started: number;
  finished: number;
}

/** Silence after which the service ends an utterance itself. */
const PAUSE_ENDS_PACKETS = 10;

class StreamingRecognition implements Recognition {
  readonly #request: RecognitionRequest;
  readonly #service: StreamingService;
  readonly #words: (packets: readonly UtterancePacket[]) => string[];
  #isOver = false;
  #shown = 0;

  constructor(request: RecognitionRequest, service: StreamingService, read: WordIn) {
    this.#request = request;
    this.#service = service;
    this.#words = (packets) => wordsIn(packets, read);
  }

  get #isClosed(): boolean {
    return this.#isOver || this.#service.hangs || this.#request.signal.aborted;
  }

  grow({ packets }: Utterance): void {
    if (this.#isClosed) return;
    const pause = packets.findIndex(
      (_, at) =>
        at >= PAUSE_ENDS_PACKETS &&
        this.#words(packets.slice(0, at)).length > 0 &&
        this.#words(packets.slice(at - PAUSE_ENDS_PACKETS, at)).length === 0,
    );
    if (pause >= 0) {
      this.#isOver = true;
      const words = this.#words(packets.slice(0, pause));
      this.#request.final(resultOf(words), packets[pause - 1]!.sequence);
      return;
    }
    // The word that is being spoken is not certain yet.
    const words = this.#words(packets).slice(0, -1);
    if (words.length <= this.#shown) return;
    this.#shown = words.length;
    this.#request.partial(resultOf(words));
  }

  async finish({ packets }: Utterance): Promise<RecognitionResult> {
    if (this.#isOver) throw new Error('asked to finish twice');
    this.#isOver = true;
    this.#service.finished += 1;
    const fault = this.#service.faults.shift();
    if (fault) throw fault;
    const { signal } = this.#request;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<RecognitionResult>();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (!this.#service.hangs) setImmediate(() => resolve(resultOf(this.#words(packets))));
    return promise;
  }
}

/** A recogniser that listens while somebody speaks, and ends an utterance at a pause itself. */
export const createStreamingRecogniser = (
  read: WordIn = wordIn,
): Recogniser & {
  readonly service: StreamingService;
} => {
  const service: StreamingService = { hangs: false, faults: [], started: 0, finished: 0 };
  return {
    service,
    growEveryMs: 100,
    start: (request) => {
      service.started += 1;
      return new StreamingRecognition(request, service, read);
    },
  };
};
