import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/rich-text/walk.ts';
import { CHANNEL, createProbes, ELSEWHERE, MEMBER } from '../../fakes/probes.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';
import { fresh } from '../../fakes/opened.ts';

describe('a press', () => {
  const probes = fresh(() => createProbes());

  it('does what the control says, and shows the panel anew', async () => {
    const content = await probes.press('probing go:a: b', { values: ['x', 'y'] });
    expect(content).toMatchObject({ text: 'gone', controls: [{ label: 'Go' }] });
    expect(probes.ran).toEqual([['a: b', ['x', 'y'], 'm']]);
    await probes.press('probing go');
    expect(probes.ran.at(-1)).toEqual(['', [], 'm']);
  });

  it('that fails keeps the panel, with the reason beneath', async () => {
    const content = await probes.press('probing fail');
    expect(content).toMatchObject({ controls: [{ label: 'Go' }] });
    expect(content?.text).toBe(`the panel\n\n> ⚠️ ${sentence('errors.unavailable')}`);
  });

  it('that fails without a panel says why, without details', async () => {
    const content = await probes.press('probing bare');
    expect(content).toEqual({
      text: sentence('errors.internal'),
      tone: 'error',
    });
  });

  it.each([
    ['bare', [], [sentence('errors.internal')]],
    ['fail', [expect.stringContaining('the panel')], []],
  ])('that fails under what others read, %s, leaves that to them', async (name, shown, aside) => {
    const told: Record<'shown' | 'aside', string[]> = { shown: [], aside: [] };
    await probes.press(`probing ${name}`, {
      answer: {
        paceMs: 0,
        show: async ({ text }) => void told.shown.push(plainText(text)),
        showAside: async ({ text }) => void told.aside.push(plainText(text)),
      },
    });
    expect(told).toEqual({ shown, aside });
  });

  it('is known beforehand to be for others alone', async () => {
    const moderator = { ...MEMBER, role: 'moderator' } as const;
    const asked = { channel: CHANNEL, press: 'probing guarded' };
    expect(await probes.dispatcher.admits({ ...asked, member: MEMBER })).toBe(false);
    expect(await probes.dispatcher.admits({ ...asked, member: moderator })).toBe(true);
  });

  it('that fails is told of in the form that began it, while that stands', async () => {
    const told: string[] = [];
    const shown: string[] = [];
    const press = async (stands: boolean): Promise<unknown> =>
      probes.press('probing bare', {
        answer: {
          paceMs: 0,
          show: async ({ text }) => void shown.push(plainText(text)),
          refuse: async (reason) => {
            if (stands) told.push(plainText(reason));
            return stands;
          },
        },
      });
    await press(true);
    expect([told, shown]).toEqual([[sentence('errors.internal')], []]);
    await press(false);
    expect(shown).toEqual([sentence('errors.internal')]);
  });

  it('is for those whom guards and roles let in', async () => {
    expect((await probes.press('probing guarded'))?.text).toContain(
      sentence('errors.needs-moderator', { platform: 'test' }),
    );
    const member = { ...MEMBER, role: 'moderator' } as const;
    expect(await probes.press('probing guarded', { member })).toEqual({ text: 'let in' });
    probes.script.choices = { ...probes.script.choices, roles: { probing: ['r1'] } };
    expect((await probes.press('probing go'))?.text).toMatch(sentenceLike('errors.needs-role'));
    expect((await probes.press('probing alone'))?.text).toBe('for you alone');
  });

  it.each(['probing nothing', 'nothing go', 'probing', '', 'probing constructor', 'a b c d'])(
    'of a control that is out of date says so: %j',
    async (given) => {
      expect((await probes.press(given))?.text).toContain(sentence('errors.unknown-press'));
    },
  );

  it('of a command that the platform lacks is out of date', async () => {
    expect((await probes.press('probing go', { channel: ELSEWHERE }))?.text).toContain(
      sentence('errors.unknown-press'),
    );
    expect(probes.ran).toEqual([]);
  });

  it('lives on when its answer cannot be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await probes.press('probing go', { answer: { show, paceMs: 0 } });
    expect(probes.ran).toHaveLength(1);
  });
});
