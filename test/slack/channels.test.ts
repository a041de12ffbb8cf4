import { describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage } from '../fakes/slack/index.ts';
import {
  openLinked,
  type Place,
  repliesTo,
  type SlackBot,
  type Transport,
  withSlackBot,
} from './support.ts';

const channelsWith = (bot: SlackBot) => {
  const watched = async (): Promise<Place> => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    return at;
  };

  it('gives each message its translation in the thread under it', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'Good morning to you all');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(repliesTo(said).map(({ text }) => text)).toEqual(['🇪🇸 es:Good morning to you all']);
  });

  it('answers a reply in its thread', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'Who is coming to the meeting?');
    const reply = at.channel.say(at.bob, 'I am coming with my colleague', { thread: said });
    await bot.slack.until(() => repliesTo(said).length === 2);
    expect(repliesTo(said).map(({ text }) => text)).toEqual([
      '🇪🇸 es:Who is coming to the meeting?',
      '🇪🇸 es:I am coming with my colleague',
    ]);
    expect(reply.state.threadTs).toBe(said.ts);
  });

  it('follows an edit and a delete', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'The train leaves at seven');
    await bot.slack.until(() => repliesTo(said).length === 1);
    said.edit('The train leaves at eight');
    await bot.slack.until(() => repliesTo(said)[0]?.text === '🇪🇸 es:The train leaves at eight');
    said.delete();
    await bot.slack.until(() => repliesTo(said).length === 0);
  });

  it('does nothing for the preview of a link, which is no edit', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'Please read this page before lunch');
    await bot.slack.until(() => repliesTo(said).length === 1);
    const before = bot.translations().length;
    said.unfurl({ from_url: 'https://example.com', title: 'A page', text: 'of words' });
    const next = at.channel.say(at.ann, 'Thank you very much for that');
    await bot.slack.until(() => repliesTo(next).length === 1);
    expect(bot.translations()).toHaveLength(before + 1);
  });

  it('keeps mentions, links, emoji and lists, and notifies nobody', async () => {
    const at = await watched();
    const words = (text: string, style: Readonly<Record<string, boolean>> = {}) => ({
      type: 'text',
      text,
      style,
    });
    const said = at.channel.say(at.ann, {
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            words('Hello '),
            { type: 'user', user_id: at.bob.id },
            words(' and '),
            { type: 'broadcast', range: 'channel' },
            words(', look at ', { bold: true }),
            { type: 'link', url: 'https://example.com/a?b=c' },
            words(' '),
            { type: 'emoji', name: 'tada', unicode: '1f389' },
            { type: 'emoji', name: 'office-parrot' },
          ],
        },
        {
          type: 'rich_text_list',
          style: 'bullet',
          elements: [{ type: 'rich_text_section', elements: [words('the first thing to do')] }],
        },
      ],
    });
    await bot.slack.until(() => repliesTo(said).length === 1);
    const [reply] = repliesTo(said);
    const shown = JSON.stringify(reply?.blocks);
    for (const part of [
      '@Bob',
      '@channel',
      'https://example.com/a?b=c',
      '🎉',
      'office-parrot',
      'rich_text_list',
    ])
      expect(shown).toContain(part);
    expect(shown).not.toMatch(/"type":"(?:user|broadcast)"/);
  });
};

describe.each<Transport>(['socket', 'http'])(
  'a channel with auto-translate, by %s',
  (transport) => {
    channelsWith(withSlackBot(transport));
  },
);

describe('standing threads', () => {
  const bot = withSlackBot();

  it('hold every message of a channel in one language, under its author’s name', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate thread languages:es');
    const known = new Set(at.channel.posts.map(({ ts }) => ts));
    at.channel.say(at.ann, 'The first thing that is said');
    at.channel.say(at.bob, 'The second thing that is said');
    const begun = (): readonly FakeMessage[] =>
      at.channel.posts.filter(({ ts, state }) => !known.has(ts) && state.threadTs === undefined);
    await bot.slack.until(() => begun()[0]?.replies.length === 2);
    await bot.stop();
    await bot.start();
    at.channel.say(at.ann, 'The third thing that is said');
    await bot.slack.until(() => begun()[0]?.replies.length === 3);
    expect(begun()).toHaveLength(1);
    expect(begun()[0]?.words).toContain('español');
    expect(begun()[0]?.replies.map(({ shownAuthor }) => shownAuthor)).toEqual([
      'Ann',
      'Bob',
      'Ann',
    ]);
  });
});

describe('linked channels', () => {
  const bot = withSlackBot();

  const linked = () => openLinked(bot);
  const mirrorOf = async (channel: FakeChannel, text: string): Promise<FakeMessage> => {
    const [post] = await channel.until((posts) => posts.some((each) => each.text.startsWith(text)));
    const found = channel.posts.find((each) => each.text.startsWith(text)) ?? post;
    if (!found) throw new Error('there is no mirror');
    return found;
  };

  it('show a message under its author’s name and picture, with a link to it', async () => {
    const { channel, spanish, ann } = await linked();
    const said = channel.say(ann, 'We meet at the old bridge');
    const mirror = await mirrorOf(spanish, 'es:We meet');
    expect([mirror.shownAuthor, mirror.state.iconUrl]).toEqual(['Ann', ann.state.imageUrl]);
    expect(JSON.stringify(mirror.blocks.at(-1))).toContain(
      `/archives/${channel.id}/p${said.ts.replace('.', '')}`,
    );
  });

  it('carry replies into the thread of the mirror, and back', async () => {
    const { channel, spanish, ann, bob } = await linked();
    const said = channel.say(ann, 'Where do we meet tomorrow?');
    const mirror = await mirrorOf(spanish, 'es:Where');
    channel.say(bob, 'At the station, as always', { thread: said });
    await bot.slack.until(() => mirror.replies.length === 1);
    expect(mirror.replies[0]?.shownAuthor).toBe('Bob');
    spanish.say(ann, 'Muchas gracias por la información', { thread: mirror });
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(repliesTo(said)[0]?.text).toContain('en:Muchas gracias');
  });

  it('carry edits, deletes and files', async () => {
    const { channel, spanish, ann } = await linked();
    const bytes = new TextEncoder().encode('what is in the file');
    const said = channel.say(ann, 'Here are the plans for summer', {
      files: [{ name: 'plan.txt', mimetype: 'text/plain', bytes }],
    });
    const mirror = await mirrorOf(spanish, 'es:Here are');
    await spanish.until((posts) => posts.some(({ state }) => state.files.length === 1));
    said.edit('Here are the plans for winter');
    await bot.slack.until(() => mirror.text.startsWith('es:Here are the plans for winter'));
    said.delete();
    await bot.slack.until(() => !spanish.posts.some(({ text }) => text.includes('plans')));
  });
});
