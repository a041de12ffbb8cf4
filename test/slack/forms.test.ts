import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeUser } from '../fakes/slack/index.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { withSlackBot } from './support.ts';

const bot = withSlackBot();

const richText = (...elements: readonly object[]) => ({
  value: {
    type: 'rich_text_input',
    rich_text_value: {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements }],
    },
  },
});
const words = (text: string) => ({ type: 'text', text });
const chosen = (value: string) => ({
  value: { type: 'external_select', selected_option: { value } },
});
const opened = (user: FakeUser) => bot.slack.until(() => user.modal !== undefined);

describe('a form that was sent', () => {
  it('stays with what was typed and the fault, where the text is too long', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'say');
    await opened(at.ann);
    const text = richText(words('word '.repeat(2_400)));
    const errors = await bot.slack.submit(at.ann, { text });
    expect(errors).toEqual({ text: expect.stringMatching(sentenceLike('options.too-long')) });
    expect(at.ann.modal).toBeDefined();
    expect([...at.channel.posts, ...at.channel.ephemeralsFor(at.ann)]).toEqual([]);
  });

  it('stays where a row of its list is wrong, and is taken once that is put right', async () => {
    const at = bot.place();
    const other = at.workspace.channel({ members: [at.admin] });
    bot.slack.command(at.admin, at.channel, '/dragoman', 'autotranslate mirror');
    await opened(at.admin);
    const rows = (language: string) => ({
      channels: richText(
        { type: 'channel', channel_id: at.channel.id },
        words(' en, '),
        { type: 'channel', channel_id: other.id },
        words(` ${language}`),
      ),
    });
    expect(await bot.slack.submit(at.admin, rows('Nonsense'))).toEqual({
      channels: expect.stringContaining('Nonsense'),
    });
    expect(await bot.slack.submit(at.admin, rows('Spanish'))).toBeUndefined();
    await at.channel.until((posts) => posts.some((post) => post.words.includes('Spanish')));
  });

  it('names the channel in which the app is not', async () => {
    const at = bot.place();
    const channel = at.workspace.channel({ name: 'harbour', bot: false, members: [at.admin] });
    bot.slack.command(at.admin, channel, '/dragoman', 'autotranslate reply');
    await opened(at.admin);
    const languages = { type: 'multi_external_select', selected_options: [{ value: 'es' }] };
    const errors = await bot.slack.submit(at.admin, { languages: { value: languages } });
    const params = { channel: '#harbour', command: '/invite @dragoman' };
    expect(errors).toEqual({ languages: sentence('watch.not-there', params) });
  });

  it('says what it does, and names all channels at once in which the app is not', async () => {
    const at = bot.place();
    const [harbour, market] = ['harbour', 'market'].map((name) =>
      at.workspace.channel({ name, bot: false, members: [at.admin] }),
    );
    bot.slack.command(at.admin, at.channel, '/dragoman', 'autotranslate mirror');
    await opened(at.admin);
    const view = at.admin.modal!.content;
    const summary = sentence('commands.autotranslate.mirror.summary');
    const title = sentence('commands.autotranslate.mirror.title');
    expect(view['title']).toMatchObject({ text: title });
    expect(JSON.stringify(view['blocks'])).toContain(summary);
    const channels = richText(
      { type: 'channel', channel_id: harbour!.id },
      words(' en, '),
      { type: 'channel', channel_id: market!.id },
      words(' es'),
    );
    const errors = await bot.slack.submit(at.admin, { channels });
    const params = { channel: '#harbour, #market', command: '/invite @dragoman' };
    expect(errors).toEqual({ channels: sentence('watch.not-there', params) });
  });

  it('closes where the answer takes long', async () => {
    const at = bot.place();
    bot.speech.fail(PATHS.translate, { hang: true });
    bot.slack.command(at.ann, at.channel, '/dragoman', 'translate');
    await opened(at.ann);
    const text = richText(words('good morning'));
    expect(await bot.slack.submit(at.ann, { text, to: chosen('es') })).toBeUndefined();
    expect(at.ann.modal).toBeUndefined();
  });
});

it('a form does not open for who may not use it: they are told so', async () => {
  const at = bot.place();
  const needs = sentence('errors.needs-moderator', { platform: 'slack' }).split('`')[0]!;
  await bot.use(at, 'autotranslate mirror', { by: at.ann, part: needs });
  expect(at.ann.modal).toBeUndefined();
});
