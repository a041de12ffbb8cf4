import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { Json } from '../fakes/slack/json.ts';
import type { FakeMessage } from '../fakes/slack/index.ts';
import { openSlackBot, repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();

const answered = async (said: FakeMessage, count = 1): Promise<readonly FakeMessage[]> => {
  await bot.slack.until(
    () =>
      repliesTo(said).length === count &&
      repliesTo(said).every(({ state }) => state.streamOf === undefined),
  );
  return repliesTo(said);
};

describe('a conversation with the app', () => {
  it('is answered in the thread under each question, as a stream', async () => {
    const { ann, workspace } = bot.place();
    const said = workspace.direct(ann).say(ann, 'What is a dragoman?');
    const [reply] = await answered(said);
    expect(reply?.words).not.toBe('');
    const methods = bot.slack.requests.map(({ method }) => method);
    expect(methods).toContain('chat.startStream');
    expect(methods).toContain('chat.stopStream');
  });

  it.each(['help', 'Help ', '?', 'mention'])(
    '%s is answered by help, and not by the model',
    async (typed) => {
      const { ann, workspace } = bot.place();
      const before = bot.speech.seen.filter(({ path }) => path === PATHS.chat).length;
      const mention = { type: 'user', user_id: ann.id };
      const words =
        typed === 'mention'
          ? { elements: [{ type: 'rich_text_section', elements: [mention] }] }
          : typed;
      const [reply] = await answered(workspace.direct(ann).say(ann, words));
      expect(reply?.words).toContain('/dragoman translate');
      expect(bot.speech.seen.filter(({ path }) => path === PATHS.chat)).toHaveLength(before);
    },
  );

  it.each(['', ' help', ' ?'])(
    'in a channel is help for the asker alone, once, where “@dragoman%s” is all of it',
    async (words) => {
      const { ann, channel, workspace } = bot.place();
      const { id } = workspace.installation.botUser;
      const say = (ids: readonly string[], text: string) => {
        const mentions = ids.map((one) => ({ type: 'user', user_id: one }));
        const elements = [...mentions, ...(text === '' ? [] : [{ type: 'text', text }])];
        return channel.say(ann, { elements: [{ type: 'rich_text_section', elements }] });
      };
      say([id], ', can you help Bob?');
      say([ann.id], words);
      say([id, ann.id], words);
      const said = say([id], words);
      await bot.slack.until(() => channel.ephemeralsFor(ann).length === 1);
      expect(JSON.stringify(channel.ephemeralsFor(ann))).toContain('/dragoman translate');
      expect(repliesTo(said)).toEqual([]);
    },
  );

  it('goes on in its thread with what was said before', async () => {
    const { ann, workspace } = bot.place();
    const direct = workspace.direct(ann);
    const first = direct.say(ann, 'Which languages do you speak?');
    await answered(first);
    direct.say(ann, 'And which of them best?', { thread: first });
    await answered(first, 2);
    const asked = JSON.stringify(bot.speech.seen.findLast(({ path }) => path === PATHS.chat));
    expect(asked).toContain('Which languages do you speak?');
    expect(asked).toContain('And which of them best?');
  });

  it('goes on without what was said before where only its beginning can be read', async () => {
    await using limited = await openSlackBot('socket', { history: 'limited' });
    const { ann, workspace } = limited.place();
    const direct = workspace.direct(ann);
    const { events } = limited.slack.app;
    limited.slack.app.events = new Set();
    const first = direct.say(ann, 'This was the first question');
    for (let count = 0; count < 20; count += 1) direct.say(ann, `And ${count}`, { thread: first });
    limited.slack.app.events = events;
    const hasCursor = (args: Json): boolean => args['cursor'] !== undefined;
    limited.slack.fail('conversations.replies', { error: 'missing_scope' }, { while: hasCursor });
    direct.say(ann, 'And which of them best?', { thread: first });
    await limited.slack.until(() => repliesTo(first).length === 1);
    const asked = JSON.stringify(limited.speech.seen.findLast(({ path }) => path === PATHS.chat));
    expect(asked).toContain('And which of them best?');
    expect(asked).not.toContain('the first question');
  });

  it('is answered once, however often a message is delivered', async () => {
    const { ann, workspace } = bot.place();
    const said = workspace.direct(ann).say(ann, 'Are you there?');
    await answered(said);
    const record = bot.slack.events.log.findLast(({ event }) => event['ts'] === said.ts);
    if (!record) throw new Error('no event was sent');
    await bot.slack.events.repeat(record);
    const next = workspace.direct(ann).say(ann, 'Thank you!');
    await answered(next);
    expect(repliesTo(said)).toHaveLength(1);
  });

  it('notifies nobody, whatever the model answers', async () => {
    const { ann, workspace } = bot.place();
    const filler = Array.from({ length: 100 }, (_, at) => `and word ${at} `).join('');
    const answer = `Hello <!channel> @channel <@${ann.id}> ${filler}<!here> @here and \`@everyone\`.`;
    const { answers } = bot.speech;
    bot.speech.answers = () => answer;
    const [reply] = await answered(workspace.direct(ann).say(ann, 'Whom can you call?'));
    bot.speech.answers = answers;
    expect(reply?.words).toContain('everyone');
    expect(bot.slack.requests.map(({ method }) => method)).toContain('chat.startStream');
    expect(bot.slack.pings).toEqual([]);
  });

  it('comes as a plain message where streams are refused', async () => {
    const { ann, workspace } = bot.place();
    bot.slack.fail('chat.startStream', { error: 'team_not_found' }, { while: () => true });
    const said = workspace.direct(ann).say(ann, 'What is a dragon?');
    const [reply] = await answered(said);
    bot.slack.heal();
    expect(reply?.words).not.toBe('');
  });
});
