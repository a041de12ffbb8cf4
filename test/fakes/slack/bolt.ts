import { App, LogLevel } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { FakeWorkspace } from './driver/workspace.ts';
import type { SlackFake } from './start.ts';

/** A client of the Web API as Bolt has it, with one try a call. */
export const clientOf = (slack: SlackFake, token: string): WebClient =>
  new WebClient(token, {
    slackApiUrl: slack.url,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  });

/** An app of the real Bolt in Socket Mode, started. */
export const startBolt = async (
  slack: SlackFake,
  workspace: FakeWorkspace,
  prepare: (app: App) => void,
): Promise<App & AsyncDisposable> => {
  const app = new App({
    token: workspace.botToken,
    appToken: slack.app.appToken,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.url },
  });
  prepare(app);
  await app.start();
  return Object.assign(app, { [Symbol.asyncDispose]: async () => void (await app.stop()) });
};
