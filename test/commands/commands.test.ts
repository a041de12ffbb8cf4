import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { attachmentOf } from '../fakes/core-harness.ts';
import { toneWav } from '../fakes/tone.ts';
import { useCoreHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const { harness, last } = useCoreHarness();

describe('an asker who leaves', () => {
  it.each([
    ['translate', { text: 'How are you today?', to: 'ja' }, PATHS.translate],
    ['say', { text: 'Hello there.' }, PATHS.tts],
    ['ask', { question: 'Why?' }, PATHS.chat],
    ['transcribe', { audio: attachmentOf(toneWav(1)) }, PATHS.asr],
  ] as const)('takes the request of /%s along', async (command, options, path) => {
    harness().speech.fail(path, { hang: true });
    const asker = new AbortController();
    const run = harness().run(command, options, {}, asker.signal);
    await expect.poll(() => harness().speech.hanging()).toBe(1);
    asker.abort();
    expect((await run).at(-1)).toMatchObject({ text: sentence('errors.cancelled'), tone: 'note' });
    await expect.poll(() => harness().speech.hanging()).toBe(0);
  });
});

describe('a service that is down', () => {
  it('gets one sentence from every command that needs it, and the next try works', async () => {
    const down = Array.from({ length: 8 }, () => ({ reset: true }) as const);
    for (const [command, options, path] of [
      ['translate', { text: 'How are you today?', to: 'ja' }, PATHS.translate],
      ['say', { text: 'Hello there.' }, PATHS.tts],
      ['ask', { question: 'Why?' }, PATHS.chat],
    ] as const) {
      harness().speech.fail(path, ...down.slice(0, 4));
      expect(await last(command, options)).toMatchObject({
        tone: 'error',
        text: expect.stringContaining(sentence('errors.unavailable')) as string,
      });
      expect((await last(command, options)).tone).toBeUndefined();
    }
  });
});
