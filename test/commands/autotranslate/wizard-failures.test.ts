import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { labelled, SPACE } from '../../fakes/command-harness.ts';
import type { Shown } from '../../fakes/platform.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { watchesOf } from './support.ts';
import { useWizard } from './wizard-support.ts';

const harness = useCommandHarness();
const { choose, make, lines, unfinished, builder } = useWizard(harness);

describe('a set-up that fails midway', () => {
  const refused = new AppError('forbidden', 'refused', {
    sentence: { key: 'watch.missing', params: { permissions: { list: ['Manage Channels'] } } },
  });
  const fail = async () => {
    builder().faults.set(3, refused);
    await choose(['es', 'ja', 'fr', 'de']);
    return make();
  };

  it('says why, links nothing, and goes on where it stopped', async () => {
    const content = await fail();
    expect(content.text).toContain('Manage Channels');
    expect(content.text).toContain(
      sentence('autotranslate.wizard-unfinished', { done: 2, all: 4 }),
    );
    expect(watchesOf(harness())).toEqual([]);
    await harness().press('autotranslate.wizard-continue');
    expect(builder().built).toHaveLength(4);
    expect(watchesOf(harness())).toHaveLength(5);
  });

  it('is undone with all that was made', async () => {
    await fail();
    const { text } = await harness().press('autotranslate.wizard-undo');
    expect(text).toContain(sentence('autotranslate.wizard-undone'));
    expect(builder().built).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });

  it('names what is left, as somebody else may have made it', async () => {
    builder().faults.set(2, 'lost');
    builder().doubtful = true;
    await choose(['es', 'ja', 'fr']);
    await make();
    const { text } = await harness().press('autotranslate.wizard-undo');
    expect(text).toContain(sentence('autotranslate.wizard-left'));
    expect(text).toContain('<#9002>');
    expect(builder().built.map(({ id }) => id)).toEqual(['9002']);
  });

  it.each(['autotranslate.wizard-continue', 'autotranslate.wizard-undo'] as const)(
    'is left to people who may make such things themselves: %s',
    async (key) => {
      await fail();
      builder().personLacks = refused;
      expect((await harness().press(key)).text).toContain('Manage Channels');
      expect(builder().built).toHaveLength(2);
    },
  );

  it('is listed beside others, but not for who sees not all of its channels', async () => {
    const stop = async (channel: string, language: string) => {
      builder().faults.set(builder().calls + 1, refused);
      await choose([language], [channel]);
      await make();
    };
    await stop('1', 'es');
    await stop('2', 'ja');
    const named = (content: Shown) =>
      (content.controls ?? []).flatMap(({ press, label }) =>
        press.startsWith('autotranslate setup:') ? [label] : [],
      );
    const [first, second] = ['name1 español', 'name2 日本語'].map((name) =>
      sentence('autotranslate.wizard-open', { name }),
    );
    expect(named(await harness().run('autotranslate panel'))).toEqual([first, second]);
    harness().script.access = { 1: 'none' };
    expect(named(await harness().run('autotranslate panel'))).toEqual([second]);
  });

  it('stands in the panel until then', async () => {
    await fail();
    await harness().run('autotranslate panel');
    const [{ id } = { id: '' }] = await unfinished();
    const content = await harness().pressNamed(`autotranslate setup:${id}`);
    expect(labelled(content, 'autotranslate.wizard-undo')).toBeDefined();
  });

  it.each(['autotranslate.wizard-continue', 'autotranslate.wizard-undo'] as const)(
    'leaves nothing doubled or over where an answer was lost: %s',
    async (key) => {
      builder().faults.set(2, 'lost');
      await choose(['es', 'ja', 'fr']);
      await make();
      await harness().press(key);
      expect(builder().built).toHaveLength(key === 'autotranslate.wizard-undo' ? 0 : 3);
    },
  );

  it('makes anew what somebody deleted meanwhile', async () => {
    await fail();
    await builder().remove(SPACE, { kind: 'channel', id: '9001' });
    await harness().press('autotranslate.wizard-continue');
    expect(builder().built).toHaveLength(4);
    expect(lines()).not.toContain('9001 mirror es');
  });

  it('waits where the platform takes no more for a moment', async () => {
    const busy = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 5_000 });
    builder().faults.set(1, busy).set(2, busy);
    await choose(['es']);
    await make();
    expect(builder().built).toHaveLength(1);
  });

  it('is left to a person where the platform takes no more for long', async () => {
    const busy = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 3_600_000 });
    builder().faults.set(2, busy);
    await choose(['es', 'ja']);
    const content = await make();
    expect(labelled(content, 'autotranslate.wizard-continue')).toBeDefined();
  });

  it('keeps what is linked already, whoever undoes it', async () => {
    await fail();
    const [setup] = await unfinished();
    await harness().services.watches.set(
      ['9001', '9002'].map((id) => ({
        channel: { space: SPACE, id },
        mode: 'mirror',
        languages: ['es'],
        group: 'g',
        transcribes: true,
        bots: false,
      })),
    );
    await harness().pressNamed(`autotranslate undo:${setup?.id}`);
    expect(builder().built).toHaveLength(2);
  });
});
