/**
 * Our own Slack on loopback, for the unmodified Bolt: Web API, files, Socket Mode, HTTP deliveries and
 * OAuth on one port, everything in memory. It refuses what Slack refuses, and keeps Slack's limits.
 *
 *     await using slack = await startSlackFake();
 *     const workspace = slack.workspace();
 *     const channel = workspace.channel({ name: 'talk' });
 *     // start the app with SLACK_API_URL=slack.url, SLACK_APP_TOKEN=slack.app.appToken
 *     // and SLACK_BOT_TOKEN=workspace.botToken
 *     channel.say(workspace.user({ name: 'ann' }), 'hello');
 *     await channel.until((posts) => posts.length === 1);
 */
export { startSlackFake } from './start.ts';
export type { SlackFake, SlackFakeOptions } from './start.ts';
export type { FakeChannel } from './driver/channel.ts';
export type { FakeMessage } from './driver/message.ts';
export type { FakeOrganisation } from './driver/organisation.ts';
export type { FakeUser } from './driver/user.ts';
export type { FakeWorkspace } from './driver/workspace.ts';
