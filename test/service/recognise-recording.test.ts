import { describe, expect, it } from 'vitest';
import {
  RECOGNITION_RATE_HZ,
  type EngineHints,
  type RecognisedText,
} from '../../service/engine.ts';
import { listenTo, recogniseRecording, type Vad } from '../../service/recognise-recording.ts';
import type { HeardSpan } from '../../service/heard-spans.ts';
import { plainReply, segmentParameters, segmentsReply } from '../../service/recognise.ts';
import { bytesSource } from '../../src/audio/bytes.ts';
import { makeWav } from './support.ts';

const { signal } = new AbortController();

interface Asked {
  readonly seconds: number;
  readonly language: string | undefined;
}

type Answer = (asked: Asked, call: number) => RecognisedText;

/** Recognises sound from each start to each end, in seconds; tells the calls and what came of them. */
const recognise = async (
  tones: readonly (readonly [number, number])[],
  answer: Answer = () => ({ text: 'as many words as the time of it is long enough for' }),
  {
    vad = 'off',
    hints = {},
    longestMs = 60_000,
  }: { vad?: Vad; hints?: EngineHints; longestMs?: number } = {},
) => {
  const asked: Asked[] = [];
  const engine = {
    longestMs,
    recognise: async (samples: Float32Array, { language }: EngineHints) => {
      const seconds = Math.round((10 * samples.length) / RECOGNITION_RATE_HZ) / 10;
      asked.push({ seconds, language });
      return answer({ seconds, language }, asked.length);
    },
  };
  const source = bytesSource([makeWav((tones.at(-1)?.[1] ?? 0) + 0.2, tones.flatMap(syllables))]);
  const recording = await listenTo(source, vad, signal);
  const spans = await recogniseRecording(recording, engine, hints, signal);
  return { asked, spans, reply: plainReply(spans, hints) };
};

/** Voice from one time to another: a tone that stays is noise. */
const syllables = ([from, to]: readonly [number, number]): readonly (readonly [number, number])[] =>
  Array.from({ length: Math.round((to - from) / 0.1) }, (_, at) => [
    from + at / 10,
    from + at / 10 + 0.06,
  ]);

const languages = (asked: readonly Asked[]) => asked.map(({ language }) => language);

/** Sentences of some seconds with a clear pause between them. */
const sentences = (...lengths: readonly number[]): readonly (readonly [number, number])[] => {
  let at = 0.2;
  return lengths.map((seconds) => {
    const sentence = [at, at + seconds] as const;
    at += seconds + 0.7;
    return sentence;
  });
};

describe('a recording', () => {
  it('is recognised in pieces that end at its pauses, all of it', async () => {
    const { asked } = await recognise(sentences(4, 4, 4));
    expect(asked).toHaveLength(3);
    expect(asked.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(13.8);
  });

  it('keeps together what only a breath parts', async () => {
    const breath = [
      [0.2, 4.2],
      [4.7, 8.7],
    ] as const;
    const { asked } = await recognise(breath, () => ({ text: 'words enough for it '.repeat(5) }));
    expect(asked).toHaveLength(1);
  });

  it('has no longer pieces than the engine takes', async () => {
    const { asked } = await recognise([[0.1, 20]], undefined, { longestMs: 6_000 });
    for (const { seconds } of asked) expect(seconds).toBeLessThanOrEqual(6);
  });

  it('costs no call for silence, and with detection of voice none for what is beside it', async () => {
    const long = [
      [0.5, 4.5],
      [40, 44],
    ] as const;
    expect((await recognise(long)).asked.length).toBeLessThanOrEqual(4);
    const { asked, spans } = await recognise(long, undefined, { vad: 'on' });
    expect(asked.map(({ seconds }) => seconds)).toEqual([4.6, 4.5]);
    expect(spans.map(({ startMs }) => Math.round(startMs / 100))).toEqual([2, 397]);
  });

  it('has the same pieces with and without detection of voice, where there is no long silence', async () => {
    const [off, on] = await Promise.all(
      (['off', 'on'] as const).map(async (vad) =>
        recognise(sentences(4, 5, 6), undefined, { vad }),
      ),
    );
    expect(on?.asked).toHaveLength(off?.asked.length ?? 0);
    expect(on?.reply.text).toBe(off?.reply.text);
  });

  it('has the segments that are asked for', async () => {
    const vad = segmentParameters({ min_silence_gap: 1_000 });
    const { spans } = await recognise(sentences(4, 4), () => ({ text: 'ha' }), { vad });
    expect(spans).toHaveLength(1);
  });
});

describe('a piece with far fewer words than its voice has time for', () => {
  const tones = [
    [0.2, 3.1],
    [3.3, 6.3],
    [6.5, 9.4],
  ] as const;

  it('is cut at its pauses and recognised once more', async () => {
    const { asked, reply } = await recognise(tones, ({ seconds }) => ({
      text: seconds > 5 ? 'too little' : 'words that were left out',
    }));
    expect(asked.map(({ seconds }) => seconds)).toEqual([9.6, 3.2, 3.2, 3.2]);
    expect(reply.text).toBe(Array.from({ length: 3 }, () => 'words that were left out').join(' '));
  });

  it('is believed where there is no more to hear', async () => {
    const { asked, reply } = await recognise(tones, ({ seconds }) => ({
      text: seconds > 5 ? 'so little' : '',
    }));
    expect(asked).toHaveLength(4);
    expect(reply.text).toBe('so little');
  });

  it('keeps its words where less is heard of it without the silence behind', async () => {
    const { asked, reply } = await recognise(
      [
        [0.2, 3.4],
        [6.2, 6.2],
      ],
      (_, call) => ({ text: call === 1 ? 'yes well okay' : 'yes' }),
    );
    expect(asked.map(({ seconds }) => seconds)).toEqual([6.4, 4.4]);
    expect(reply.text).toBe('yes well okay');
  });

  it('is recognised once, where it has no pauses', async () => {
    expect((await recognise([[0.2, 9]], () => ({ text: 'hm' }))).asked).toHaveLength(1);
  });
});

describe('the language of a recording', () => {
  const TEXT = 'words enough for so long a time as anybody has who speaks here';
  const heardIn =
    (odd: string | undefined): Answer =>
    ({ seconds, language }) => ({
      text: `${language ?? 'none'} ${TEXT}`,
      language: language ?? (seconds < 4 ? odd : 'en'),
    });

  it('is expected of a short piece that seems to be in another', async () => {
    const { asked, reply } = await recognise(sentences(8, 2.5, 8), heardIn('cy'));
    expect(languages(asked)).toContain('en');
    expect(asked).toHaveLength(4);
    expect(reply.text.match(/^none .* en .* none /)).not.toBeNull();
    expect(reply.language).toBe('en');
  });

  it('is another where that is spoken for longer', async () => {
    const { asked } = await recognise(sentences(8, 2.5, 8, 2.5, 2.5, 2.5), heardIn('cy'));
    expect(languages(asked)).not.toContain('en');
  });

  it('is that of most of it, by whatever name', async () => {
    const { reply } = await recognise(sentences(8, 4, 8), ({ seconds }) => ({
      text: TEXT,
      language: seconds < 6 ? 'german' : 'english',
    }));
    expect(reply).toMatchObject({ language: 'en' });
    expect(reply).not.toHaveProperty('requested_language');
  });

  it('is said beside the one that was asked for', async () => {
    const answer: Answer = () => ({ text: TEXT, language: 'en' });
    const { asked, reply } = await recognise(sentences(8, 2), answer, {
      hints: { language: 'ga' },
    });
    expect(languages(asked)).toEqual(['ga']);
    expect(reply).toMatchObject({ language: 'en', requested_language: 'ga' });
  });

  it.each([
    ['zh-Hant', 'chinese'],
    ['fil', 'tl'],
  ])('is called %s, as asked for, where %s is heard', async (language, heard) => {
    const answer: Answer = () => ({ text: TEXT, language: heard });
    const { reply } = await recognise(sentences(4), answer, { hints: { language } });
    expect(reply).toMatchObject({ language, requested_language: language });
  });
});

describe('a file', () => {
  const silent = async (bytes: Uint8Array): Promise<boolean> =>
    (await listenTo(bytesSource([bytes]), 'off', signal)).isSilent;

  it('is silent without any sound but a click', async () => {
    expect(await silent(makeWav(3))).toBe(true);
    expect(await silent(makeWav(3, [[1, 1.03]]))).toBe(true);
    expect(await silent(makeWav(3, [[1, 1.3]]))).toBe(false);
  });

  describe('whose engine tells the times of words', () => {
    const WORD = { text: 'so', startMs: 100, endMs: 300 };
    const many = { text: 'so many words as the time of it is long enough for', words: [WORD] };

    it('has those of the recording, in its text and in each segment', async () => {
      const { spans } = await recognise(sentences(4, 4), () => many);
      const { words } = plainReply(spans, { words: true });
      expect(words).toEqual(
        spans.map(({ startMs }) => ({
          word: 'so',
          start: (startMs + 100) / 1_000,
          end: (startMs + 300) / 1_000,
        })),
      );
      const { segments } = segmentsReply(spans, { words: true });
      expect(segments.map((segment) => segment.words)).toEqual(words?.map((word) => [word]));
    });

    it('has those of what is heard in a second look', async () => {
      const { spans } = await recognise(
        [
          [0.2, 2.2],
          [2.6, 4.6],
        ],
        (_, call) => (call === 1 ? { text: 'so' } : many),
      );
      expect(spans).toHaveLength(1);
      const [first, second] = plainReply(spans, { words: true }).words ?? [];
      expect(first?.start).toBeCloseTo(0.1);
      expect(second?.start).toBeGreaterThan(2.2);
      expect(second?.start).toBeLessThan(2.7);
    });

    it('has none where one part has none, or nobody asks', async () => {
      const { spans } = await recognise(sentences(4, 4), (_, call) =>
        call === 1 ? many : { ...many, words: undefined },
      );
      expect(plainReply(spans, { words: true }).words).toBeUndefined();
      expect(plainReply(spans.slice(0, 1), {}).words).toBeUndefined();
    });
  });

  it('says where hotwords were not used', async () => {
    const hints = { hotwords: ['Acme'] };
    const used = async (hotwordsUsed?: boolean) =>
      (
        await recognise(
          sentences(4),
          () => ({ text: 'hello there, how do you do', hotwordsUsed }),
          { hints },
        )
      ).reply.hotwords_used;
    expect(await used()).toBe(false);
    expect(await used(false)).toBe(false);
    expect(await used(true)).toBeUndefined();
    expect((await recognise(sentences(4))).reply.hotwords_used).toBeUndefined();
  });

  it('is told part by part as it is heard', async () => {
    const told: HeardSpan[] = [];
    const source = bytesSource([makeWav(10, sentences(4, 4).flatMap(syllables))]);
    const recording = await listenTo(source, 'on', signal);
    const engine = { longestMs: 60_000, recognise: async () => ({ text: 'so' }) };
    const spans = await recogniseRecording(recording, engine, {}, signal, {
      tell: (span) => told.push(span),
    });
    expect(told).toEqual(spans);
  });
});
