import { once } from 'node:events';
import { expect, it } from 'vitest';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { PATHS } from '../src/api/contract.ts';
import { makeDatabase } from './fakes/database.ts';
import { endProgram, listenToProgram, spawnDragoman } from './fakes/program.ts';
import { useSlackCommand } from './fakes/slack-bot.ts';
import { startSlackFake, type FakeMessage } from './fakes/slack/index.ts';
import { startSpeechFake } from './fakes/speech.ts';

/** Exit status after a second signal. */
const INTERRUPTED = 130;

const repliesTo = ({ replies }: FakeMessage): readonly FakeMessage[] =>
  replies.filter(({ isOurs }) => isOurs);

/** Slack, the service and a database, and one program at a time between them. */
const open = async () => {
  const parts = new AsyncDisposableStack();
  const database = await makeDatabase();
  const slack = parts.use(await startSlackFake());
  const speech = parts.use(await startSpeechFake());
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);
  const admin = workspace.user({ name: 'admin', isAdmin: true });

  /** Starts the program; resolves once it is ready. */
  const start = async (drainS: number) => {
    const program = spawnDragoman({
      DATABASE_URL: database,
      DRAIN_S: String(drainS),
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
      SLACK_API_URL: slack.url,
      SPEECH_API_URL: speech.url,
      SPEECH_API_KEY: speech.key,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
    });
    parts.defer(async () => endProgram(program));
    const { address } = await listenToProgram(program);
    const readiness = async () => {
      const reply = await fetch(`${address}/readyz`);
      const { draining } = (await reply.json()) as { draining: boolean };
      return { status: reply.status, draining };
    };
    await expect.poll(readiness).toEqual({ status: 200, draining: false });
    return { readiness, ended: once(program, 'exit'), stop: () => program.kill('SIGTERM') };
  };
  return {
    slack,
    speech,
    workspace,
    admin,
    start,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};

it('a stop ends readiness at once and the process in order, a second signal at once, and no message is lost', async () => {
  await using at = await open();
  const { admin, slack, speech, start } = at;
  const first = await start(600);
  const room = at.workspace.channel({ name: 'room', members: [admin] });
  await useSlackCommand(slack, admin, room, 'autotranslate reply languages:es');
  speech.fail(PATHS.translate, { hang: true });
  const message = room.say(admin, 'Good evening to all of you');
  await expect.poll(() => speech.hanging()).toBe(1);

  first.stop();
  await expect.poll(first.readiness).toEqual({ status: 503, draining: true });
  expect(speech.hanging()).toBe(1);
  first.stop();
  expect(await first.ended).toEqual([INTERRUPTED, null]);

  await expect.poll(() => speech.hanging()).toBe(0);
  speech.fail(PATHS.translate, { hang: true });
  const second = await start(1);
  await expect.poll(() => speech.hanging()).toBe(1);
  second.stop();
  expect(await second.ended).toEqual([0, null]);
  expect(repliesTo(message)).toEqual([]);

  await start(1);
  await slack.until(() => repliesTo(message).length === 1);
});
