import { describe, expect, it } from 'vitest';
import { createProbes, MEMBER } from '../../fakes/probes.ts';
import { rich } from '../../fakes/rich-text.ts';
import { sentence } from '../../fakes/sentences.ts';
import { fresh } from '../../fakes/opened.ts';

describe('the dispatcher', () => {
  const probes = fresh(() => createProbes());

  it('runs a command with its options as the schema types them', async () => {
    const given = { text: 'a', count: '3', loud: 'yes', kind: 'TWO' };
    expect(await probes.run('probe', given)).toEqual({ text: 'whole' });
    expect(probes.ran).toEqual([{ text: 'a', count: 3, loud: true, kind: 'two' }]);
  });

  const whole = sentence('options.not-integer', { option: '`count`', minimum: 1, maximum: 5 });

  it.each([
    [
      {},
      sentence('options.missing', { option: '`text`', description: 'commands.probe.options.text' }),
    ],
    [{ text: '' }, sentence('options.empty', { option: '`text`' })],
    [{ text: 'x'.repeat(11) }, sentence('options.too-long', { option: '`text`', limit: 10 })],
    [{ text: 'a', count: '9' }, whole],
    [{ text: 'a', count: 'many' }, whole],
    [{ text: 'a', loud: 'maybe' }, sentence('options.not-boolean', { option: '`loud`' })],
    [
      { text: 'a', kind: 'three' },
      sentence('options.not-a-choice', { option: '`kind`', choices: '`one`, `two`' }),
    ],
    [{ text: 'a', file: 'a.wav' }, sentence('options.not-attachment', { option: '`file`' })],
    [
      { text: 'a', colour: 'red' },
      sentence('options.unknown', {
        option: '`colour`',
        known: '`text`, `count`, `loud`, `kind`, `file`',
      }),
    ],
    [{ text: 7 }, sentence('options.not-text', { option: '`text`' })],
  ])('refuses %j with a sentence that helps', async (options, expected) => {
    expect(await probes.run('probe', options)).toMatchObject({
      tone: 'error',
      text: expected,
    });
    expect(probes.ran).toEqual([]);
  });

  it('says so when there is no such command, without letting its name break the markup', async () => {
    const content = await probes.run('no`such**\n@everyone');
    expect(content?.text).toBe(
      sentence('errors.unknown-command', { command: '``/no`such** @everyone``' }),
    );
  });

  it('reads a text in the markup of the platform; its length is that of what was typed', async () => {
    await probes.run('probe', { text: '**a**' });
    await probes.run('probe', { text: 'a' }, { readText: (typed) => rich(`${typed}-read`) });
    expect(probes.ran).toEqual([{ text: 'a' }, { text: 'a-read' }]);
    const content = await probes.run('probe', { text: '**1234567**' });
    expect(content?.text).toBe(sentence('options.too-long', { option: '`text`', limit: 10 }));
  });

  it('answers in the person’s language', async () => {
    const content = await probes.run('nothing', {}, { member: { ...MEMBER, locale: 'ja-JP' } });
    expect(content?.text).toBe(sentence('errors.unknown-command', { command: '`/nothing`' }, 'ja'));
  });

  it('lets guards decide', async () => {
    expect(await probes.run('probes guarded')).toMatchObject({ tone: 'error' });
    expect(
      await probes.run('probes guarded', {}, { member: { ...MEMBER, role: 'moderator' } }),
    ).toEqual({
      text: 'let in',
    });
  });

  it('tells a fault of ours without its details', async () => {
    const content = await probes.run('probe', { text: 'fail' });
    expect(content?.tone).toBe('error');
    expect(content?.text).not.toContain('secret');
  });

  it('shows the sentence that a command throws', async () => {
    expect((await probes.run('probe', { text: 'refuse' }))?.text).toContain(
      sentence('glossary.not-csv'),
    );
  });

  it('keeps what was there of an answer that broke off', async () => {
    const content = await probes.run('probe', { text: 'break' });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content?.text).toMatch(/^half\n\n/);
  });

  it('says that it stopped when the asker took it back', async () => {
    const content = await probes.run('probe', { text: 'a' }, { signal: AbortSignal.abort() });
    expect(content).toEqual({ text: sentence('errors.cancelled'), tone: 'note' });
  });

  it('ends the work for an answer that can no longer be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await probes.run('probe', { text: 'wait' }, { answer: { show, paceMs: 0 } });
  });

  it('does not show the same twice', async () => {
    await probes.run('probe', { text: 'same' });
    expect(probes.shown).toEqual([{ text: 'half' }]);
  });

  it('takes an empty option that may be left out for one that was', async () => {
    await probes.run('probe', { text: 'a', kind: '', count: '' });
    expect(probes.ran).toEqual([{ text: 'a' }]);
  });

  it('lives on when the answer cannot be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await probes.run('probe', { text: 'a' }, { answer: { show, paceMs: 0 } });
  });

  it('records what a command used, once', async () => {
    expect(await probes.run('probing')).toEqual({ text: 'done' });
    expect(probes.recorded).toEqual([
      ['m', { characters: 5, audioMs: 0, chatTokens: 0, messages: 1 }],
    ]);
    await probes.run('probe', { text: 'a' });
    expect(probes.recorded).toHaveLength(1);
  });

  it('lets an answer stand whose use cannot be recorded', async () => {
    expect(await probes.run('probing', {}, { member: { ...MEMBER, id: 'unlucky' } })).toEqual({
      text: 'done',
    });
    expect(probes.recorded).toHaveLength(1);
  });

  it('keeps those without the roles of a command out, but no moderator', async () => {
    probes.script.choices = { ...probes.script.choices, roles: { probe: ['r1', 'r2'] } };
    const as = async (part: object) =>
      probes.run('probe', { text: 'a' }, { member: { ...MEMBER, ...part } });
    expect((await as({}))?.text).toBe(sentence('errors.needs-role', { command: 'probe' }));
    expect(await as({ roles: ['r3'] })).toMatchObject({ tone: 'error' });
    expect(probes.ran).toEqual([]);
    expect(await as({ roles: ['r3', 'r2'] })).toEqual({ text: 'whole' });
    expect(await as({ role: 'moderator' })).toEqual({ text: 'whole' });
  });
});
