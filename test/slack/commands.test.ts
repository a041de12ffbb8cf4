import { describe, expect, it } from 'vitest';
import type { Json } from '../fakes/slack/json.ts';
import type { FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { sentence } from '../fakes/sentences.ts';
import { withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

const blockOf = (blocks: unknown, id: string): Json | undefined =>
  (blocks as readonly Json[]).find((block) => block['block_id'] === id);

describe('a typed command', () => {
  it('takes options in any order, quoted by any keyboard, and shows its answer to everybody', async () => {
    const at = bot.place();
    const part = 'es:hello to you all';
    await bot.use(at, 'translate to:es text:“hello to you all”', { by: at.ann, part });
    expect(at.channel.posts).toHaveLength(1);
  });

  it('can be used by its own name', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/translate', 'good evening to:es');
    await at.channel.until((posts) => posts.some(({ words }) => words.includes('es:good evening')));
  });

  it('explains the message of a link to its author and moderators, of channels that they see', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, '!play that song again');
    const linkOf = ({ ts }: FakeMessage, { channel, workspace }: Place) =>
      `<https://${workspace.state.domain}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}>`;
    const link = linkOf(said, at);
    const why = async (typed: string, by: FakeUser) => bot.use(at, `why ${typed}`, { by });
    const part = sentence('why.skipped.command');
    await expect.poll(async () => why(link, at.ann)).toContain(part);
    expect(await why(link, at.admin)).toContain(part);
    expect(await why(`message:${said.ts}`, at.ann)).toContain(part);
    expect(await why(link, at.bob)).toContain(
      sentence('why.not-yours', { entry: sentence('commands.translate.menu') }),
    );
    const secret = bot.place();
    secret.channel.state.kind = 'private';
    const none = sentence('why.not-found');
    const hidden = linkOf(secret.channel.say(secret.ann, 'nobody sees this'), secret);
    expect(await why(hidden, at.ann)).toContain(none);
    expect(await why(link.replace(at.channel.id, 'C0000000000'), at.ann)).toContain(none);
  });

  it('says above its answer who asked, and for what', async () => {
    const at = bot.place();
    const words = await bot.use(at, `translate to:es <!channel> good evening`, { by: at.ann });
    expect(words).toMatch(/^Ann: \/dragoman translate to:es .*good evening[^]*es:/u);
    expect(bot.slack.pings).toEqual([]);
  });

  it('answers where the app is no member', async () => {
    const at = bot.place();
    at.channel.removeBot();
    at.channel.state.kind = 'private';
    bot.slack.command(at.ann, at.channel, '/dragoman', 'translate good night to:es');
    await bot.slack.until(() =>
      at.channel.messages.some(({ words }) => words.includes('es:good night')),
    );
  });

  it('keeps signs that Slack escapes, and mentions nobody', async () => {
    const at = bot.place();
    const typed = `a &lt;b&gt; &amp; c &lt;!channel&gt; &lt;@${at.bob.id}&gt; <@${at.bob.id}|bob>`;
    const part = `es:a <b> & c <!channel> <@${at.bob.id}> @bob`;
    await bot.use(at, `translate to:es ${typed}`, { by: at.ann, part });
  });

  it('notifies nobody, whatever the model answers', async () => {
    const at = bot.place();
    const { answers } = bot.speech;
    bot.speech.answers = () => `Hi <@${at.bob.id}> @everyone @here <!channel> and \`<!here>\`.`;
    await bot.use(at, 'ask Whom do you call?', { by: at.ann, part: 'everyone' });
    bot.speech.answers = answers;
    expect(bot.slack.pings).toEqual([]);
  });

  it.each([
    ['frobnicate', 'Unknown command'],
    ['glossary', 'needs a subcommand'],
    ['transalte hello', '/dragoman translate'],
    ['huddle', 'huddles'],
    ['captions start', 'huddles'],
    ['translate colour:red hello', 'no option'],
    ['translate "hello', 'quotation mark'],
  ])('that is wrong, %s, is explained to its asker alone', async (typed, part) => {
    const at = bot.place();
    expect(await bot.use(at, typed, { by: at.ann })).toContain(part);
    expect(at.channel.posts).toEqual([]);
  });

  it('without words shows help to its asker alone, with commands as Slack takes them', async () => {
    const at = bot.place();
    const help = await bot.use(at, '', { by: at.ann });
    expect(help).toContain('/dragoman translate');
    expect(help).not.toMatch(/(?<!dragoman )\/(?!dragoman)[a-z]/);
    expect(at.channel.posts).toEqual([]);
  });

  it('of moderators is refused to others', async () => {
    const at = bot.place();
    expect(await bot.use(at, 'autotranslate reply languages:es', { by: at.ann })).toContain('⚠️');
    expect(at.channel.posts).toEqual([]);
  });

  it('of moderators is refused to those who manage another workspace', async () => {
    const at = bot.place();
    const other = bot.slack.workspace({ installed: false });
    const stranger = other.user({ name: 'stranger', isAdmin: true });
    at.channel.state.members.add(stranger.id);
    const guest = Object.assign(Object.create(stranger) as typeof stranger, {
      state: { ...stranger.state, workspace: at.workspace.state },
    });
    expect(await bot.use(at, 'autotranslate reply languages:es', { by: guest })).toContain('⚠️');
    expect(at.channel.posts).toEqual([]);
  });

  it('speaks the language of its asker', async () => {
    const at: Place = bot.place();
    const hans = at.workspace.user({ name: 'hans', locale: 'de-DE' });
    expect(await bot.use(at, 'frobnicate', { by: hans })).toContain('Unbekannter Befehl');
  });
});

describe('a command without an option that it needs', () => {
  it('asks for it in a modal, and runs when that is sent', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'translate to:es');
    await bot.slack.until(() => at.ann.modal !== undefined);
    const blocks = at.ann.modal?.content['blocks'];
    expect(blockOf(blocks, 'to')?.['element']).toMatchObject({ type: 'external_select' });
    const elements = [
      { type: 'text', text: 'see you ' },
      { type: 'text', text: 'tomorrow', style: { bold: true } },
      { type: 'text', text: ' <!channel> ' },
      { type: 'user', user_id: at.bob.id },
    ];
    const written = {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements }],
    };
    await bot.slack.submit(at.ann, {
      text: { value: { type: 'rich_text_input', rich_text_value: written } },
      to: { value: { type: 'external_select', selected_option: { value: 'es' } } },
    });
    await at.channel.until((posts) => posts.some(({ words }) => words.includes('es:see you')));
    const [{ blocks: shown, words }] = at.channel.posts as [FakeMessage];
    expect(words).toContain('<!channel> @Bob');
    expect(JSON.stringify(shown)).toContain(
      '{"type":"text","text":"tomorrow","style":{"bold":true}}',
    );
  });

  it('takes channels there by Slack’s own names of them', async () => {
    const at = bot.place();
    const other = at.workspace.channel({ members: [at.admin] });
    bot.slack.command(at.admin, at.channel, '/dragoman', `autotranslate mirror`);
    await bot.slack.until(() => at.admin.modal !== undefined);
    const elements = [
      { type: 'channel', channel_id: at.channel.id },
      { type: 'text', text: ' en, ' },
      { type: 'channel', channel_id: other.id },
      { type: 'text', text: ' Spanish' },
    ];
    const written = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
    await bot.slack.submit(at.admin, {
      channels: { value: { type: 'rich_text_input', rich_text_value: written } },
    });
    await at.channel.until((posts) => posts.some(({ words }) => words.includes('Spanish')));
    at.channel.say(at.ann, 'The train leaves at noon');
    await other.until((posts) => posts.some(({ words }) => words.includes('es:The train')));
  });

  it('keeps what was typed, as it is offered in the menus', async () => {
    const at = bot.place();
    const channel = `<#${at.channel.id}|${at.channel.state.name}>`;
    const typed = `autotranslate mirror bots:yes`;
    bot.slack.command(at.admin, at.channel, '/dragoman', typed);
    await bot.slack.until(() => at.admin.modal !== undefined);
    const elementIn = (id: string): unknown =>
      blockOf(at.admin.modal?.content['blocks'], id)?.['element'];
    expect(elementIn('bots')).toMatchObject({ initial_option: { value: 'true' } });
    bot.slack.close(at.admin);
    bot.slack.command(
      at.admin,
      at.channel,
      '/dragoman',
      `glossary add channel:${channel} language:fr`,
    );
    await bot.slack.until(() => at.admin.modal !== undefined);
    expect(elementIn('language')).toMatchObject({
      initial_option: { value: 'fr', text: { text: expect.stringContaining('French') } },
    });
    expect(elementIn('channel')).toMatchObject({ initial_conversation: at.channel.id });
  });

  it('offers no choice that Slack has nothing for: rules by roles', async () => {
    const at = bot.place();
    bot.slack.command(at.admin, at.channel, '/dragoman', 'autotranslate rules rule:skip');
    await bot.slack.until(() => at.admin.modal !== undefined);
    const about = JSON.stringify(blockOf(at.admin.modal?.content['blocks'], 'about'));
    expect(about).toContain('"people"');
    expect(about).not.toContain('"roles"');
  });

  it('offers what completes an option', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'translate');
    await bot.slack.until(() => at.ann.modal !== undefined);
    const view = at.ann.modal;
    if (!view) throw new Error('there is no modal');
    const block = blockOf(view.content['blocks'], 'to');
    const element = block?.['element'] as Json;
    expect(element['type']).toBe('external_select');
    const offered = await bot.slack.suggest(
      at.ann,
      view,
      String(element['action_id']),
      'span',
      'to',
    );
    expect(JSON.stringify(offered)).toContain('Spanish');
  });

  it('takes a file there', async () => {
    const at = bot.place();
    bot.slack.command(at.ann, at.channel, '/dragoman', 'transcribe');
    await bot.slack.until(() => at.ann.modal !== undefined);
    const element = blockOf(at.ann.modal?.content['blocks'], 'audio')?.['element'];
    expect(element).toMatchObject({ type: 'file_input' });
  });
});

describe('a shortcut of a message', () => {
  it('translates it for its user alone', async () => {
    const at = bot.place();
    const hans = at.workspace.user({ name: 'hans', locale: 'de-DE' });
    const said = at.channel.say(at.ann, 'What a beautiful morning this is');
    bot.slack.messageShortcut(hans, said, 'translate');
    await bot.slack.until(() =>
      JSON.stringify(at.channel.ephemeralsFor(hans)).includes('de:What a beautiful morning'),
    );
    expect(at.channel.posts).toEqual([]);
  });

  it('answers where it was used: in a thread that stands, else in the channel', async () => {
    const at = bot.place();
    const said = at.channel.say(at.ann, 'What a beautiful morning this is');
    const reply = at.channel.say(at.bob, 'The evening will be fine too', { thread: said });
    for (const [message, words, threadTs] of [
      [said, 'es:What a', undefined],
      [reply, 'es:The evening', said.ts],
    ] as const) {
      const spanish = at.workspace.user({ name: 'eva', locale: 'es-ES' });
      bot.slack.messageShortcut(spanish, message, 'translate');
      const shown = () => at.channel.ephemeralsFor(spanish);
      await bot.slack.until(() => JSON.stringify(shown()).includes(words));
      expect(shown()).toMatchObject([{ threadTs }]);
    }
  });
});

describe('a flag', () => {
  it('translates the message that it is put on', async () => {
    const at = bot.place();
    const said = at.channel.say(at.ann, 'The museum is closed on Mondays');
    said.react(at.bob, 'flag-es');
    await bot.slack.until(() => said.replies.some(({ isOurs }) => isOurs));
    expect(said.replies[0]?.words).toContain('es:The museum is closed');
    said.unreact(at.bob, 'flag-es');
    await bot.slack.until(() => said.replies.length === 0);
  });
});

describe('another emoji', () => {
  it.each(['tada', 'white_check_mark', 'heart', 'taco-cat'])(
    'that was given a language, such as :%s:, is a flag too',
    async (name) => {
      const at = bot.place();
      await bot.use(at, `flags set emoji:":${name}:" language:es`, { part: 'Spanish' });
      const said = at.channel.say(at.ann, 'The museum is closed on Mondays');
      said.react(at.bob, name);
      await bot.slack.until(() => said.replies.some(({ isOurs }) => isOurs));
      said.unreact(at.bob, name);
      await bot.slack.until(() => said.replies.length === 0);
    },
  );
});

describe('a control under an answer', () => {
  it('changes the answer that only its asker sees', async () => {
    const at = bot.place();
    await bot.use(at, 'settings');
    const [panel] = at.channel.ephemeralsFor(at.admin).slice(-1);
    if (!panel) throw new Error('there is no panel');
    const before = JSON.stringify(panel.blocks);
    const button = JSON.stringify(panel.blocks).match(/"action_id":"(?<id>[^"]+)"/)?.groups?.['id'];
    bot.slack.act(at.admin, panel, button ?? '', {});
    await bot.slack.until(() => JSON.stringify(panel.blocks) !== before);
  });
});
