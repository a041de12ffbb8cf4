import { describe, expect, it } from 'vitest';
import { recognitionEvent, speechEvent } from '../../../../src/api/realtime/contract.ts';

const FINAL = { type: 'asr.final_result', utterance_id: 'u1', result_id: 'r1', text: 'hello' };
const PARTIAL = { ...FINAL, type: 'asr.partial_result' };

describe('a message of realtime recognition', () => {
  it.each([
    { seq: null, language: null, audio_start_ms: null, replaces: null, confidence: null },
    { seq: '7', language: 3, audio_start_ms: '20', replaces: 'r0', confidence: '0.9' },
    { audio_start_ms: -40, audio_end_ms: -1, stable: null, emotion: 'calm' },
  ])('keeps its words, whatever stands beside them: %j', (rest) => {
    expect(recognitionEvent.parse({ ...FINAL, ...rest })).toMatchObject({ text: 'hello' });
    expect(recognitionEvent.parse({ ...PARTIAL, ...rest })).toMatchObject({ text: 'hello' });
  });

  it('may name one result that it replaces without a list', () => {
    expect(recognitionEvent.parse({ ...FINAL, replaces: 'r0' })).toMatchObject({
      replaces: ['r0'],
    });
  });

  it('without words or their utterance is ignored', () => {
    const { text: _text, ...silent } = FINAL;
    const { utterance_id: _id, ...lost } = FINAL;
    for (const message of [silent, lost])
      expect(recognitionEvent.safeParse(message).success).toBe(false);
  });
});

describe('a message of realtime speech', () => {
  it('is known by its type, whatever stands beside it', () => {
    const done = { type: 'tts.audio.done', audio: null, code: {}, message: 3, fatal: 'no' };
    expect(speechEvent.parse(done)).toEqual({ type: 'tts.audio.done' });
  });
});
