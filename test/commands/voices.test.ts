import { describe, expect, it } from 'vitest';
import { VOICE } from '../fakes/speech.ts';
import { useCoreHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const { harness, last, completions } = useCoreHarness();

describe('/voices and /voice', () => {
  it('list what there is', async () => {
    expect((await last('voices')).text).toContain('**Ada** · English · Female');
    expect((await last('voices', { language: 'fr' })).tone).toBe('note');
  });

  it('choose, show and give up one’s own', async () => {
    expect((await last('voice')).tone).toBe('note');
    expect((await last('voice', { voice: 'ada' })).text).toContain('Ada');
    expect((await last('voice')).text).toBe(
      sentence('voice.current', { voice: 'Ada · English · Female' }),
    );
    await harness().run('voice', { reset: 'yes' });
    expect((await last('voice')).tone).toBe('note');
    expect((await last('voice', { voice: 'nobody' })).tone).toBe('error');
  });

  it('complete by description', async () => {
    // The first letters are completed by nothing where the voices take long to come.
    await expect
      .poll(async () => completions('voice', 'voice', 'ad'))
      .toEqual([{ value: VOICE.id, label: 'Ada · English · Female' }]);
  });
});
