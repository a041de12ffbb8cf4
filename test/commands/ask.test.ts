import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { useCoreHarness } from './support.ts';

const { harness, last } = useCoreHarness();

describe('/ask', () => {
  it('streams the answer of the language model', async () => {
    expect(await last('ask', { question: 'Why?' })).toEqual({ text: 'You asked: Why?' });
  });

  it('is begun again when its stream breaks', async () => {
    harness().speech.fail(PATHS.chat, { cutAfter: 300 });
    expect(await last('ask', { question: 'Why?' })).toEqual({ text: 'You asked: Why?' });
  });

  it('says so when the language model stays silent', async () => {
    harness().speech.answers = () => '';
    expect((await last('ask', { question: 'Why?' })).tone).toBe('error');
  });
});
