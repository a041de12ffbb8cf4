import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { ModalView } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { clientOf, startBolt } from './bolt.ts';
import { startSlackFake, type SlackFake } from './index.ts';
import { serve } from '../serve.ts';

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const asking: ModalView = {
  type: 'modal',
  callback_id: 'ask',
  title: plain('Ask'),
  submit: plain('Send'),
  blocks: [
    {
      type: 'input',
      block_id: 'words',
      label: plain('Words'),
      element: { type: 'plain_text_input', action_id: 'value' },
    },
  ],
};

describe('modals', () => {
  it('are opened within three seconds, by one use of a trigger', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const client = clientOf(slack, workspace.botToken);
    const triggers: string[] = [];
    await using _ = await startBolt(slack, workspace, (app) =>
      app.shortcut('open', async ({ ack, shortcut }) => {
        triggers.push(shortcut.trigger_id);
        await ack();
      }),
    );
    const ann = workspace.user();
    await slack.globalShortcut(ann, 'open').outcome;
    await slack.globalShortcut(ann, 'open').outcome;
    const open = async (trigger_id = '') => client.views.open({ trigger_id, view: asking });
    await open(triggers[0]);
    await expect(open(triggers[0])).rejects.toMatchObject({
      data: { error: 'exchanged_trigger_id' },
    });
    slack.clock.advance(3_001);
    await expect(open(triggers[1])).rejects.toMatchObject({
      data: { error: 'expired_trigger_id' },
    });
    expect(ann.modal?.content['callback_id']).toBe('ask');
  });

  it('stay open with the errors of their fields, and close otherwise', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    await using _ = await startBolt(slack, workspace, (app) => {
      app.shortcut('open', async ({ ack, shortcut, client }) => {
        await ack();
        await client.views.open({ trigger_id: shortcut.trigger_id, view: asking });
      });
      app.view('ask', async ({ ack, view }) => {
        const { value } = view.state.values['words']?.['value'] ?? {};
        if (value === 'bad') await ack({ response_action: 'errors', errors: { words: 'No.' } });
        else await ack();
      });
    });
    const ann = workspace.user();
    slack.globalShortcut(ann, 'open');
    await slack.until(() => ann.modal !== undefined);
    const enter = (value: string) => ({ words: { value: { type: 'plain_text_input', value } } });
    expect(await slack.submit(ann, enter('bad'))).toEqual({ words: 'No.' });
    expect(ann.modal).toBeDefined();
    expect(await slack.submit(ann, enter('good'))).toBeUndefined();
    expect(ann.modal).toBeUndefined();
  });

  it.each([
    ['a title of more than 24 characters', { ...asking, title: plain('a'.repeat(25)) }],
    ['an input without a button to send', { ...asking, submit: undefined }],
    ['fields that do not exist', { ...asking, colour: 'red' }],
  ])('are refused with %s', async (_, view) => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const open = clientOf(slack, workspace.botToken).views.open({
      trigger_id: 'x',
      view: view as never,
    });
    await expect(open).rejects.toMatchObject({ data: { error: 'invalid_arguments' } });
  });
});

describe('App Home', () => {
  it('is shown to the person for whom it was published', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    await using _ = await startBolt(slack, workspace, (app) =>
      app.event('app_home_opened', async ({ client, event }) => {
        const blocks = [{ type: 'section', text: plain(`Hello ${event.user}`) }] as const;
        await client.views.publish({
          user_id: event.user,
          view: { type: 'home', blocks: [...blocks] },
        });
      }),
    );
    const [ann, bob] = [workspace.user(), workspace.user()];
    ann.openHome();
    await slack.until(() => ann.home.length > 0);
    expect(ann.home).toMatchObject([{ text: { text: `Hello ${ann.id}` } }]);
    expect(bob.home).toEqual([]);
  });
});

describe('an answer’s address', () => {
  it('takes five messages', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const channel = workspace.channel();
    await using _ = await startBolt(slack, workspace, (app) =>
      app.command('/x', async ({ ack }) => ack()),
    );
    const ann = workspace.user();
    const { responseUrl = '', outcome } = slack.command(ann, channel, '/x');
    await outcome;
    const answer = async () =>
      (await fetch(responseUrl, { method: 'POST', body: JSON.stringify({ text: 'hi' }) })).status;
    const statuses: number[] = [];
    for (let use = 0; use < 6; use += 1) statuses.push(await answer());
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect(channel.ephemeralsFor(ann)).toHaveLength(5);
    expect(channel.posts).toEqual([]);
  });
});

const startHttpApp = async (slack: SlackFake, token: string, prepare: (app: App) => void) => {
  const receiver = new HTTPReceiver({
    signingSecret: slack.app.signingSecret,
    logLevel: LogLevel.ERROR,
  });
  const app = new App({
    token,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.url },
  });
  prepare(app);
  const server = await serve((request, response) => {
    try {
      receiver.requestListener(request, response);
    } catch {
      response.writeHead(404).end();
    }
  });
  slack.app.socketMode = false;
  slack.app.requestUrl = `${server.url}/slack/events`;
  return server;
};

describe('HTTP', () => {
  it('delivers signed events and commands', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const channel = workspace.channel();
    const heard: unknown[] = [];
    await using _ = await startHttpApp(slack, workspace.botToken, (app) => {
      app.message(async ({ message }) => void heard.push('text' in message ? message.text : ''));
      app.command('/x', async ({ ack, command }) => ack(command.text));
    });
    const ann = workspace.user();
    channel.say(ann, 'hello');
    await slack.until(() => heard.length === 1);
    await slack.command(ann, channel, '/x', 'a b').outcome;
    expect(channel.ephemeralsFor(ann).map(({ text }) => text)).toEqual(['a b']);
  });

  it('signs so that an altered request is refused', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    await using _ = await startHttpApp(slack, workspace.botToken, () => {});
    const attempt = {
      kind: 'events_api',
      payload: { type: 'event_callback', event: { type: 'x' }, team_id: workspace.id },
      retry: 0,
      reason: undefined,
    } as const;
    const send = async (body: string, headers: Readonly<Record<string, string>>) =>
      (await fetch(slack.app.requestUrl ?? '', { method: 'POST', body, headers })).status;
    const { body, headers } = slack.sign(attempt);
    expect(await send(body, headers)).toBe(200);
    expect(await send(`${body} `, headers)).toBe(401);
  });
});

describe('OAuth', () => {
  it('gives a code for one use to the address that asked', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace({ installed: false });
    slack.app.redirectUrls.add('https://bot.example/slack/oauth');
    const { clientId, clientSecret } = slack.app;
    const admin = workspace.user({ isAdmin: true });
    const back = slack.consent(
      `${slack.authorizeUrl}?client_id=${clientId}&scope=chat:write,commands&state=s`,
      workspace,
      admin,
    );
    const query = new URL(back).searchParams;
    expect(query.get('state')).toBe('s');
    const exchange = async () =>
      clientOf(slack, '').oauth.v2.access({
        client_id: clientId,
        client_secret: clientSecret,
        code: query.get('code') ?? '',
      });
    const access = await exchange();
    expect(access).toMatchObject({ scope: 'chat:write,commands', team: { id: workspace.id } });
    await expect(exchange()).rejects.toMatchObject({ data: { error: 'invalid_code' } });
    expect((await clientOf(slack, access.access_token ?? '').auth.test()).team_id).toBe(
      workspace.id,
    );
  });
});
