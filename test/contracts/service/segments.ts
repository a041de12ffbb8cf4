import { expect } from 'vitest';
import type { Contract } from '../contract.ts';
import { recognise, segmentsWith } from './audio.ts';
import { expectRefused, expectTaken, type ServiceSubject } from './target.ts';

const PADDINGS_MS = [0, 100, 5_000];
const NO_WHOLE_NUMBERS = [1.5, '100', true];

const refuses = async (
  subject: ServiceSubject,
  name: string,
  values: readonly unknown[],
): Promise<void> =>
  expectRefused(values, async (value) => recognise(subject, { vad: 'segments', [name]: value }));

/** Checks that the stated default gives what leaving the field out gives. */
const expectDefault = async (subject: ServiceSubject, name: string, value: number): Promise<void> =>
  expect(await segmentsWith(subject, { [name]: value })).toEqual(await segmentsWith(subject));

/** The rows of the parameters that `vad: "segments"` has. */
export const SEGMENT_ROWS = {
  '4.5 POST /asr/srt/audio_llm, min_silence_gap: ms, 400 by default': async (subject) => {
    await expectDefault(subject, 'min_silence_gap', 400);
    const [all, few] = [
      await segmentsWith(subject),
      await segmentsWith(subject, { min_silence_gap: 1_500 }),
    ];
    expect(few.length).toBeLessThan(all.length);
    await refuses(subject, 'min_silence_gap', [-1, ...NO_WHOLE_NUMBERS]);
  },
  '4.5 POST /asr/srt/audio_llm, segment_padding: ms from 0 to 5000, 100 by default': async (
    subject,
  ) => {
    await expectDefault(subject, 'segment_padding', 100);
    expect((await segmentsWith(subject, { segment_padding: 500 })).at(-1)?.end).toBeCloseTo(
      10.2,
      1,
    );
    await expectTaken(PADDINGS_MS, async (value) =>
      recognise(subject, { vad: 'segments', segment_padding: value }),
    );
    await refuses(subject, 'segment_padding', [-1, 5_001, ...NO_WHOLE_NUMBERS]);
  },
  '4.5 POST /asr/srt/audio_llm, initial_segment_padding_ms: from 0 to 5000, 1500 by default':
    async (subject) => {
      await expectDefault(subject, 'initial_segment_padding_ms', 1_500);
      const [first] = await segmentsWith(subject, { initial_segment_padding_ms: 0 });
      expect(first?.start).toBeCloseTo(1.8, 1);
      await expectTaken(PADDINGS_MS, async (value) =>
        recognise(subject, { vad: 'segments', initial_segment_padding_ms: value }),
      );
      await refuses(subject, 'initial_segment_padding_ms', [-1, 5_001, ...NO_WHOLE_NUMBERS]);
    },
  '4.5 POST /asr/srt/audio_llm, speech_pad_ms: 200 by default': async (subject) => {
    await expectDefault(subject, 'speech_pad_ms', 200);
    expect((await segmentsWith(subject, { speech_pad_ms: 0 }))[0]?.start).toBeCloseTo(0.5, 1);
    await refuses(subject, 'speech_pad_ms', [-1, ...NO_WHOLE_NUMBERS]);
  },
  '4.5 POST /asr/srt/audio_llm, min_segment_duration: seconds, 1.5 by default': async (subject) => {
    await expectDefault(subject, 'min_segment_duration', 1.5);
    expect(await segmentsWith(subject)).toHaveLength(2);
    expect(await segmentsWith(subject, { min_segment_duration: 0.5 })).toHaveLength(3);
    await refuses(subject, 'min_segment_duration', [-1, '1.5']);
  },
} satisfies Contract<ServiceSubject>;
