import type { VoicePerson } from '../../test/fakes/discord/index.ts';
import { numberedSpeech, WORD_PACKETS, wordsOf } from '../../test/fakes/numbered-speech.ts';

/** One utterance as it was spoken; times as of `performance.now()`. */
export interface Said {
  readonly speaker: string;
  readonly words: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
  /** Words that never left the speaker's client: it had no keys to send with. */
  readonly unsentWords: number;
}

type SpeakOptions = NonNullable<Parameters<VoicePerson['speak']>[1]>;

/** Somebody who says utterances of one to three seconds, with short pauses. */
export interface Talker {
  readonly person: VoicePerson;
  /** Says one utterance, and is silent for a moment. */
  readonly speak: () => Promise<void>;
  /** Goes on until `stopped`. */
  readonly talk: (stopped: AbortSignal) => Promise<void>;
}

export interface TalkDeps {
  readonly said: Said[];
  /** How packets go over the network at this moment. */
  readonly network: { current: SpeakOptions };
}

const FEWEST_WORDS = 6;
const MOST_WORDS = 14;
/** Longer than the room's hangover. */
const SHORTEST_PAUSE_MS = 750;
const LONGEST_PAUSE_MS = 1_400;
const TRAILING_PACKETS = 5;
const PACKET_MS = 20;

const between = (from: number, to: number): number => from + Math.random() * (to - from);

export const createTalkers = ({ said, network }: TalkDeps): ((person: VoicePerson) => Talker) => {
  let speakers = 0;
  return (person) => {
    const speaker = speakers;
    speakers += 1;
    let utterance = 0;
    const speak = async (): Promise<void> => {
      const count = Math.round(between(FEWEST_WORDS, MOST_WORDS));
      utterance += 1;
      const speech = numberedSpeech(speaker, utterance, count);
      const { startedMs, endedMs, sent } = await person.speak(speech, network.current);
      said.push({
        speaker: person.user.name,
        words: wordsOf(speaker, utterance, count),
        startMs: startedMs,
        endMs: endedMs - TRAILING_PACKETS * PACKET_MS,
        unsentWords: Math.ceil((speech.length + TRAILING_PACKETS - sent) / WORD_PACKETS),
      });
      await person.silence(between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS));
    };
    return {
      person,
      speak,
      talk: async (stopped) => {
        while (!stopped.aborted) await speak();
      },
    };
  };
};
