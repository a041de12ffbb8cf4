import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';

const harness = useCommandHarness();

describe('the switches of /autotranslate', () => {
  it('promise nothing about voice messages where nothing writes them down', async () => {
    const lines = async (options: object) =>
      (await harness().run('autotranslate reply', { languages: 'es', ...options })).text;
    harness().script.engines = [{ name: 'x', serves: ['recognition'], ready: false, detail: '' }];
    expect(await lines({})).toContain(sentence('autotranslate.no-recognition'));
    expect(await lines({ 'voice-messages': false })).toContain(
      `\n${sentence('autotranslate.no-voice-messages')}`,
    );
    expect(watchesOf(harness())).toMatchObject([{ transcribes: false }]);
    harness().script.reachable = false;
    expect(await lines({})).toContain(sentence('autotranslate.voice-messages'));
    harness().script.reachable = true;
    harness().script.keyRefusal = new AppError('config', 'refused');
    expect(await lines({})).toContain(sentence('autotranslate.voice-messages'));
    expect(harness().script.statusSpaces).toEqual([SPACE, SPACE, SPACE]);
  });
});
