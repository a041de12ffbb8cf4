import { describe, expect, it } from 'vitest';
import { openSlackBot, repliesTo } from './support.ts';

/** Events of an hour in these tests; Slack's 30,000 would take long to write. */
const FEW = 12;
const SAID = 40;

const linesOf = (logged: readonly string[]): number =>
  logged.filter((line) => line.includes('more than 30,000')).length;

describe('events that Slack leaves out, as a workspace has too many', () => {
  it.each(['socket', 'http'] as const)(
    'are found in the history, each once, without asking for it each minute: %s',
    async (transport) => {
      await using bot = await openSlackBot(transport);
      const at = bot.place();
      await bot.use(at, 'autotranslate reply languages:es');
      const quiet = bot.place();
      await bot.use(quiet, 'translate good evening to:es', { part: 'es:' });
      bot.slack.app.eventsAnHour = FEW;
      const reads = () =>
        bot.slack.requests.filter(({ method }) => method === 'conversations.history').length;
      const before = reads();
      const said = Array.from({ length: SAID }, (_, index) =>
        at.channel.say(at.ann, `This is sentence number ${index}`),
      );
      expect(bot.slack.events.log.length).toBeLessThan(SAID);
      // Posts of the app are events too, and so Slack goes on telling of what it leaves out.
      await bot.slack.until(() => said.every((each) => repliesTo(each).length === 1), 60_000);
      for (const { acked } of bot.slack.events.limited) expect(acked).toBe(true);
      expect(bot.slack.events.limited.length).toBeGreaterThan(0);
      expect(linesOf(bot.logged)).toBeGreaterThan(0);
      expect(linesOf(bot.logged)).toBeLessThanOrEqual(bot.slack.events.limited.length);
      expect(reads() - before).toBeLessThanOrEqual(bot.slack.events.limited.length);
      expect(bot.errors).toEqual([]);
    },
  );
});
