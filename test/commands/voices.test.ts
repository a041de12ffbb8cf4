import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realClock } from '../../src/async/clock.ts';
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
    // Nothing is completed in place of voices that a busy machine takes long to bring.
    const after = vi.spyOn(realClock, 'after').mockReturnValue(() => undefined);
    onTestFinished(() => after.mockRestore());
    expect(await completions('voice', 'voice', 'ad')).toEqual([
      { value: VOICE.id, label: 'Ada · English · Female' },
    ]);
  });
});
