import { expect } from 'vitest';
import { RECOGNITION_RATE_HZ, type RecognitionEngine } from '../../service/engine.ts';
import type { Contract } from './contract.ts';

const signal = new AbortController().signal;
const SAMPLES = Float32Array.from({ length: RECOGNITION_RATE_HZ }, (_, i) => Math.sin(i / 5) / 2);

export const recognitionEngineContract: Contract<RecognitionEngine> = {
  'says how much it hears at once': async (port) => {
    expect(port.longestMs).toBeGreaterThanOrEqual(5_000);
  },
  'answers with trimmed text and a confidence from 0 to 1': async (port) => {
    const { text, confidence = 1 } = await port.recognise(SAMPLES, {}, signal);
    expect(text).toBe(text.trim());
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
  },
  'leaves the sound that it was given as it is': async (port) => {
    const given = Float32Array.from(SAMPLES);
    await port.recognise(given, { language: 'en', hotwords: ['Acme'] }, signal);
    expect(given).toEqual(SAMPLES);
  },
  'does not listen for somebody who has left': async (port) => {
    await expect(port.recognise(SAMPLES, {}, AbortSignal.abort())).rejects.toThrow();
  },
};
