import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { createPrivacy } from '../../src/store/privacy/person-data.ts';
import type { Json } from '../fakes/slack/json.ts';
import { MESSAGE_METHODS } from '../fakes/slack/message-methods.ts';
import { installIn, openSlackBot, repliesTo, type Place, type Transport } from './support.ts';

const always = { while: () => true };

/** A bot in whose channel messages are translated, while nothing that it asks is answered. */
const openUnanswered = async (transport: Transport, isLinked = false) => {
  const bot = await openSlackBot(transport);
  const at = bot.place();
  const linked = bot.place().channel;
  await bot.use(
    at,
    isLinked
      ? `autotranslate mirror channels:"<#${at.channel.id}> en, <#${linked.id}> es"`
      : 'autotranslate reply languages:es',
  );
  await bot.slack.events.settled();
  const known = bot.slack.events.log.length;
  for (const method of MESSAGE_METHODS) bot.slack.fail(method, { hang: true }, always);
  bot.speech.fail(PATHS.translate, ...Array.from({ length: 50 }, () => ({ hang: true }) as const));
  return { bot, at, linked, records: () => bot.slack.events.log.slice(known) };
};

describe.each(['socket', 'http'] as const)('events by %s', (transport) => {
  it('are acknowledged once they are stored, while neither Slack nor the service answers', async () => {
    const { bot, at, records } = await openUnanswered(transport);
    await using _ = bot;
    const carl = at.workspace.user({ name: 'carl' });
    const hidden = { name: 'x.txt', mimetype: 'text/plain', bytes: new Uint8Array(1) };
    const said = at.channel.say(at.ann, 'We meet at the old bridge');
    at.channel.say(carl, {
      elements: [{ type: 'rich_text_section', elements: [{ type: 'user', user_id: at.bob.id }] }],
    });
    at.channel.say(at.bob, 'This is in the file', { files: [{ ...hidden, checkInfo: true }] });
    said.edit('We meet at the new bridge');
    said.react(at.bob, 'jp');
    await bot.slack.until(() => records().every(({ outcomes }) => outcomes.length > 0));
    expect(records().length).toBe(5);
    for (const { event, outcomes } of records())
      expect(outcomes, JSON.stringify(event)).toMatchObject([{ acked: true }]);
    const rows = await bot.store.selectFrom('delivery').select('id').execute();
    const ids = rows.map(({ id }) => id);
    for (const { id } of records()) expect(ids).toContain(id);
    bot.errors.splice(0);
  });
});

describe('an event that was acknowledged', () => {
  it('has its outcome after a restart, in the order of the channel', async () => {
    const { bot, at, records } = await openUnanswered('socket');
    await using _ = bot;
    const said = ['The first of these', 'The second of these'].map((words) =>
      at.channel.say(at.ann, `${words} sentences here`),
    );
    said[0]?.edit('The first of these, in other words');
    await bot.slack.until(() => records().every(({ outcomes }) => outcomes.length > 0));
    await bot.stop();
    bot.slack.heal();
    bot.speech.heal();
    bot.slack.fail('conversations.history', { error: 'missing_scope' }, always);
    await bot.start();
    await bot.slack.until(() => said.every((each) => repliesTo(each).length === 1), 40_000);
    const edited = 'es:The first of these, in other words';
    await bot.slack.until(() => repliesTo(said[0]!)[0]?.words.includes(edited) ?? false);
    const order = said.map((each) => repliesTo(each)[0]?.ts ?? '');
    expect(order).toEqual(order.toSorted());
    bot.errors.splice(0);
  });

  it('about a message whose deletion was missed before it was handled leaves no translation', async () => {
    const { bot, at, linked, records } = await openUnanswered('socket', true);
    await using _ = bot;
    const before = linked.posts.length;
    const said = at.channel.say(at.ann, 'This was said by mistake today');
    await bot.slack.until(() => records().every(({ outcomes }) => outcomes.length > 0));
    await bot.stop();
    const { events } = bot.slack.app;
    bot.slack.app.events = new Set();
    said.delete();
    bot.slack.app.events = events;
    bot.slack.heal();
    bot.speech.heal();
    // Names come late, and so the message's row.
    bot.slack.fail('users.info', { latencyMs: 1_000 });
    await bot.start();
    const states = async () => {
      const rows = await bot.store
        .selectFrom('inbox')
        .select(['state', 'reason'])
        .where('message_id', '=', said.ts)
        .execute();
      return rows.map(({ state, reason }) => `${state} ${reason}`);
    };
    await expect.poll(states).toEqual(['skipped deleted']);
    expect(linked.posts.length).toBe(before);
    bot.errors.splice(0);
  });

  it('and can’t be handled holds up what other workspaces missed no longer than its own', async () => {
    await using bot = await openSlackBot('many');
    const places = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const workspace = bot.slack.workspace({ name, installed: false });
        await installIn(bot, workspace, workspace.user({ isAdmin: true }));
        return bot.place(workspace);
      }),
    );
    for (const at of places) await bot.use(at, 'autotranslate reply languages:es');
    const [one, two] = places as [Place, Place];
    const { promise, resolve } = Promise.withResolvers<void>();
    const isOne = (args: Json): boolean => args['channel'] === one.channel.id;
    bot.slack.fail('conversations.replies', { until: promise }, { while: isOne });
    one.channel.say(one.bob, 'Hello').react(one.ann, 'jp');
    await bot.slack.events.settled();
    await bot.stop();
    const { events } = bot.slack.app;
    bot.slack.app.events = new Set();
    const missed = two.channel.say(two.ann, 'This was said while nobody listened');
    bot.slack.app.events = events;
    // For longer than Slack sends again.
    await bot.store.write(async (db) => {
      await db
        .updateTable('agreement')
        .set({ value: Date.now() - 600_000 })
        .execute();
    });
    await bot.start();
    await bot.slack.until(() => repliesTo(missed).length === 1);
    resolve();
    bot.errors.splice(0);
  });

  it('is no more than its id once it was handled', async () => {
    await using bot = await openSlackBot('socket');
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, 'We meet at the old bridge');
    await bot.slack.until(() => repliesTo(said).length === 1);
    const bodies = async () => {
      const rows = await bot.store.selectFrom('delivery').select('body').execute();
      return rows.filter(({ body }) => body !== null);
    };
    await expect.poll(bodies).toEqual([]);
  });

  it('holds no words of somebody who opted out', async () => {
    const { bot, at, records } = await openUnanswered('socket');
    await using _ = bot;
    await createPrivacy(bot.store).setOptedOut({ platform: 'slack', id: at.bob.id }, true);
    const said = at.channel.say(at.bob, 'This is nothing for a machine');
    const reply = { thread: said, broadcast: true };
    at.channel.say(at.ann, 'That is sent to the channel too', reply).edit('It was sent there too');
    await bot.slack.until(() => records().every(({ outcomes }) => outcomes.length > 0));
    expect(JSON.stringify(records().slice(1))).toContain('nothing for a machine');
    const rows = await bot.store.selectFrom('delivery').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('nothing for a machine');
    expect(JSON.stringify(rows)).toContain('It was sent there too');
    bot.errors.splice(0);
  });
});
