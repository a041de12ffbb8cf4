import { describe, expect, it } from 'vitest';
import { blockKey } from '../../../src/store/blocks.ts';
import { messageOf, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { by, ELSEWHERE, useWhy } from './support.ts';

const { harness, explain, ask } = useWhy();

describe('/why for moderators', () => {
  it('lets moderators stop the copies of somebody from elsewhere, whom it names', async () => {
    const ref = { channel: ELSEWHERE, id: '1' };
    harness().script.explained = [
      { ref, author: by('mallory'), parts: [{ state: 'posted', sinceMs: 0 }] },
    ];
    harness().script.messages = [
      { ...messageOf('hello'), ref, author: { id: 'mallory', name: 'Mallory', kind: 'person' } },
    ];
    const { text } = await ask({ role: 'moderator' });
    expect(text).toContain('Mallory');
    await harness().pressNamed('why stop:test|mallory|Mallory');
    await harness().press('autotranslate.wizard-undo');
    expect(await harness().services.blocks.list(SPACE)).toEqual([]);
    const name = 'Mallory · tower.example (Test)';
    harness().script.people = [{ platform: 'test', id: 'mallory', name }];
    await harness().pressNamed('why stop:test|mallory|Mallory');
    expect(await harness().services.blocks.list(SPACE)).toEqual([
      {
        key: blockKey({ platform: 'test', id: 'mallory' }),
        name,
        isBan: false,
      },
    ]);
    const stopped = await ask({ role: 'moderator' });
    expect(stopped.text).toContain(sentence('blocks.is-stopped', { name: 'Mallory' }));
    const press = 'why show:test|mallory|Mallory';
    expect(stopped.controls).toContainEqual(expect.objectContaining({ press }));
    await harness().pressNamed(press);
    expect(await harness().services.blocks.list(SPACE)).toEqual([]);
  });

  it('offers that once for each person whose messages one copy holds', async () => {
    const parts = [{ state: 'posted', sinceMs: 0 }] as const;
    harness().script.explained = ['mallory', 'mallory', 'oscar'].map((id, at) => ({
      ref: { channel: ELSEWHERE, id: String(at) },
      author: by(id),
      parts,
    }));
    const { controls = [] } = await ask({ role: 'moderator' });
    expect(controls.map(({ press }) => press)).toEqual([
      'why stop:test|mallory|',
      'why stop:test|oscar|',
    ]);
    const name = sentence('people.unknown');
    for (const { label } of controls) expect(label).toBe(sentence('blocks.stop', { name }));
    expect((await harness().pressNamed('why stop:test|mallory|')).text).not.toContain('mallory');
  });

  it('offers that for nobody of the own server', async () => {
    explain({ state: 'posted', sinceMs: 0 });
    expect((await ask({ role: 'moderator' })).controls ?? []).toEqual([]);
  });
});
