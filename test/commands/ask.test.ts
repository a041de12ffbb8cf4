import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { SPACE } from '../fakes/core-harness.ts';
import { sentenceLike } from '../fakes/sentences.ts';
import { useCoreHarness } from './support.ts';

const { harness, last } = useCoreHarness();

describe('/ask', () => {
  it('streams the answer of the language model', async () => {
    expect(await last('ask', { question: 'Why?' })).toEqual({ text: 'You asked: Why?' });
  });

  it('counts its tokens for the person, within the limit', async () => {
    const { services } = harness().core;
    await services.spaces.change(SPACE, { dailyChatTokens: 5 });
    await last('ask', { question: 'Why?' });
    // The service counts none: four bytes each.
    const used = { chatTokens: 1 + 4, messages: 1 };
    expect(await services.usage.todayOf(SPACE, 'ada')).toMatchObject(used);
    expect((await last('ask', { question: 'Why?' })).text).toMatch(sentenceLike('limits.chat'));
    expect(await services.usage.todayOf(SPACE, 'ada')).toMatchObject(used);
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
