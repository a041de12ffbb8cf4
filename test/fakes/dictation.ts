import { AppError } from '../../src/errors.ts';
import type { DictatedTranscript } from '../../src/model/message.ts';
import type { DictationRequest, OpenDictation } from '../../src/voice/dictation.ts';

/** A dictation as the core sees it, for the test to look at and to drive. */
export interface FakeDictation extends DictationRequest {
  readonly packets: readonly Uint8Array[];
  state: 'open' | 'finished' | 'dropped';
  /** What `finish` resolves with. */
  text: Promise<DictatedTranscript | undefined>;
}

export interface FakeDictations {
  readonly open: OpenDictation;
  readonly all: readonly FakeDictation[];
  /** Refuses the next ones; undefined: opens them. */
  refusal: AppError | undefined;
}

/** Packets of one word. */
const WORD = 10;
const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Dictations that hear a number in every few packets, and a sentence in four numbers. */
export const createFakeDictations = (): FakeDictations => {
  const all: FakeDictation[] = [];
  const fake: FakeDictations = {
    all,
    refusal: undefined,
    open: async (request) => {
      if (fake.refusal) throw fake.refusal;
      const packets: Uint8Array[] = [];
      const dictation: FakeDictation = {
        ...request,
        packets,
        state: 'open',
        text: Promise.resolve(undefined),
      };
      all.push(dictation);
      return {
        packet: (data) => {
          packets.push(data);
          if (packets.length % WORD !== 0) return;
          const words = WORDS.slice(0, packets.length / WORD);
          const at = words.length - 1;
          request.listener.words({
            id: 1 + Math.floor(at / 4),
            text: words.slice(at - (at % 4)).join(' '),
            language: 'en',
            isFinal: at % 4 === 3,
          });
        },
        finish: async () => {
          dictation.state = 'finished';
          return dictation.text;
        },
        [Symbol.dispose]: () => {
          if (dictation.state === 'open') dictation.state = 'dropped';
        },
      };
    },
  };
  return fake;
};
