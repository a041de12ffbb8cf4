import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/slack/index.ts';
import { repliesTo, withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

const watched = async (languages = 'es'): Promise<Place> => {
  const at = bot.place();
  const answer = await bot.use(at, `autotranslate reply languages:${languages} below:yes`);
  expect(answer).toContain('below');
  return at;
};

/** The mirrors that stand in the channel itself, and those alone. */
const below = ({ channel }: Place): readonly FakeMessage[] =>
  channel.posts.filter(({ state, text }) => state.threadTs === undefined && /\bes:/u.test(text));

describe('translations below messages', () => {
  it('stand in the channel under the author’s name and picture, with a link to the message', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'Good morning to you all');
    await bot.slack.until(() => below(at).length === 1);
    const [mirror] = below(at);
    expect(mirror?.words).toContain('🇪🇸 es:Good morning to you all');
    expect([mirror?.shownAuthor, mirror?.state.iconUrl]).toEqual(['Ann', at.ann.state.imageUrl]);
    expect(JSON.stringify(mirror?.blocks.at(-1))).toContain(`/p${said.ts.replace('.', '')}`);
    expect(said.replies).toEqual([]);
  });

  it('have all languages in one message', async () => {
    const at = await watched('es,ja');
    at.channel.say(at.ann, 'Good evening to you all');
    await bot.slack.until(() => below(at).length === 1);
    expect(below(at)[0]?.words).toContain('🇪🇸 es:Good evening');
    expect(below(at)[0]?.words).toContain('🇯🇵 ja:Good evening');
  });

  it('stand in the thread where the message is a reply', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'Who is coming to the meeting?');
    at.channel.say(at.bob, 'I am coming with my colleague', { thread: said });
    await bot.slack.until(() => repliesTo(said).length === 1 && below(at).length === 1);
    expect(repliesTo(said)[0]?.words).toContain('🇪🇸 es:I am coming');
    expect(repliesTo(said)[0]?.shownAuthor).toBe('Bob');
  });

  it('follow an edit and a delete', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, 'The train leaves at seven');
    await bot.slack.until(() => below(at).length === 1);
    said.edit('The train leaves at eight');
    await bot.slack.until(() => below(at)[0]?.words.includes('at eight') ?? false);
    said.delete();
    await bot.slack.until(() => below(at).length === 0);
  });

  it('are found again when the answer to their post is lost', async () => {
    const at = await watched();
    bot.slack.fail('chat.postMessage', { reset: 'after' });
    at.channel.say(at.ann, 'The bus leaves at nine');
    await bot.slack.until(() => below(at).length > 0);
    const next = at.channel.say(at.ann, 'The bus leaves at ten');
    await bot.slack.until(() => below(at).some(({ words }) => words.includes('at ten')));
    expect(below(at)).toHaveLength(2);
    expect(next.replies).toEqual([]);
  });

  it('are listed as such, and stay so after a restart', async () => {
    const at = await watched();
    await bot.stop();
    await bot.start();
    expect(await bot.use(at, 'autotranslate list', { part: 'below messages' })).toContain(
      'Spanish',
    );
    at.channel.say(at.ann, 'What is said after a restart');
    await bot.slack.until(() => below(at).length === 1);
  });

  it('give way to replies when moderators say so', async () => {
    const at = await watched();
    const answer = await bot.use(at, 'autotranslate reply languages:es');
    expect(answer).toContain('below messages');
    const said = at.channel.say(at.ann, 'Good night to you all');
    await bot.slack.until(() => repliesTo(said).length === 1);
    expect(below(at)).toEqual([]);
  });

  it('can be chosen in the form', async () => {
    const at = bot.place();
    bot.slack.command(at.admin, at.channel, '/dragoman', 'autotranslate reply');
    await bot.slack.until(() => at.admin.modal !== undefined);
    expect(JSON.stringify(at.admin.modal?.content)).toContain('"block_id":"below"');
  });
});
