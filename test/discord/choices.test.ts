import { describe, expect, test } from 'vitest';
import { withBot, type Place } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

/** The settings of a server, as its owner has them before them. */
const openSettings = async (at: Place) => {
  const panel = await bot.use(at, 'settings');
  const press = async (control: string, values: readonly string[] = []) =>
    (await bot.press(panel, `settings ${control}`, values, at.guild.owner)).content;
  return { panel, press };
};

describe('the settings of a server', () => {
  test('keep what each command was given to, one after the other', async () => {
    const at = bot.place();
    const roles = ['readers', 'speakers'].map((name) => at.guild.role(name).id);
    const { press } = await openSettings(at);
    await press('page:roles');
    for (const [place, command] of ['translate', 'say'].entries()) {
      await press('command', [command]);
      await press(`roles:${command}`, [roles[place] ?? '']);
    }
    const front = await press('page');
    expect(front).toContain(`\`/translate\` · <@&${roles[0]}>`);
    expect(front).toContain(`\`/say\` · <@&${roles[1]}>`);
  });

  test('can be changed for one channel while another one has a fault', async () => {
    const at = await bot.reading();
    const closed = at.guild.channel();
    await bot.use({ ...at, channel: closed }, 'autotranslate reply', { languages: 'es' });
    closed.deny('SendMessages');
    await expect.poll(async () => (await bot.use(at, 'status')).content).toContain('❌');
    const { press } = await openSettings(at);
    await press('page:channels');
    expect(await press('bots', [at.channel.id])).not.toContain('⚠️');
    const list = (await bot.use(at, 'autotranslate list')).content.split('\n');
    const lineOf = ({ id }: { readonly id: string }) => list.find((line) => line.includes(id));
    expect(lineOf(at.channel)).toContain(sentence('autotranslate.with-bots'));
    expect(lineOf(closed)).not.toContain(sentence('autotranslate.with-bots'));
  });

  test('leave flags off when an emoji is given a language', async () => {
    const at = bot.place();
    const { press } = await openSettings(at);
    await press('flags:off');
    const set = await bot.use(at, 'flags set', { emoji: '🏴', language: 'Spanish' });
    expect(set.content).toContain(sentence('flags.are-off'));
    expect((await bot.use(at, 'flags list')).content).toContain(sentence('flags.are-off'));
    expect((await bot.use(at, 'settings')).content).toContain(sentence('settings.flags-are-off'));
  });
});

test('a group from which one of three channels is taken goes on', async () => {
  const at = await bot.linked();
  const { content } = await bot.use(at, 'autotranslate off', { channel: at.english });
  for (const { id } of [at.english, at.spanish, at.japanese]) expect(content).toContain(id);
  const list = (await bot.use(at, 'autotranslate list')).content;
  for (const { id } of [at.spanish, at.japanese]) expect(list).toContain(id);
});

describe('a glossary of one channel', () => {
  test('is listed, given out and taken in apart from that of the server', async () => {
    const at = bot.place();
    const { channel } = at;
    const elsewhere = { ...at, channel: at.guild.channel() };
    await bot.use(at, 'glossary add', { term: 'everywhere' });
    await bot.use(at, 'glossary add', { term: 'here', channel });
    expect((await bot.use(at, 'glossary list')).content).toMatch(/everywhere[^]*here/);
    expect((await bot.use(elsewhere, 'glossary list')).content).not.toContain('`here`');
    const csvOf = async (options: Parameters<typeof bot.use>[2] = {}) => {
      const [file] = (await bot.use(elsewhere, 'glossary export', options)).attachments;
      return Buffer.from(file?.bytes ?? []).toString();
    };
    expect(await csvOf()).toMatch(/everywhere(?![^]*\nhere)/);
    expect(await csvOf({ channel })).toMatch(/\nhere(?![^]*everywhere)/);
    const bytes = Buffer.from('term,language,translation\nbrought,es,traído\n');
    const file = { name: 'words.csv', contentType: 'text/csv', bytes };
    const shown = await bot.use(elsewhere, 'glossary import', { file, channel });
    // What only its moderator decides on is shown to nobody else.
    expect(shown.ephemeral).toBe(true);
    const [, press = ''] = /"(glossary import:[^"]+)"/.exec(JSON.stringify(shown.components)) ?? [];
    await bot.press(shown, press, undefined, at.guild.owner);
    expect(await csvOf()).not.toContain('brought');
    expect(await csvOf({ channel })).toContain('brought');
  });

  test('loses a term without the server losing it', async () => {
    const at = bot.place();
    const { channel } = at;
    await bot.use(at, 'glossary add', { term: 'fox' });
    await bot.use(at, 'glossary add', { term: 'fox', channel });
    await bot.use(at, 'glossary remove', { term: 'fox', channel });
    const elsewhere = { ...at, channel: at.guild.channel() };
    expect((await bot.use(elsewhere, 'glossary list')).content).toContain('`fox`');
  });
});
