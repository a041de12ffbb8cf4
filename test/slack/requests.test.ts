import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { COMMAND_MODAL } from '../../adapters/slack/interactions/modal.ts';
import type { SignedRequest } from '../fakes/slack/delivery/http.ts';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot('http');

const attempt = () =>
  ({
    kind: 'events_api',
    payload: {
      type: 'event_callback',
      event_id: 'Ev1',
      team_id: bot.workspace.id,
      event: { type: 'app_home_opened', user: 'U1', tab: 'messages' },
    },
    retry: 0,
    reason: undefined,
  }) as const;

const send = async ({ body, headers }: SignedRequest): Promise<number> =>
  (await fetch(bot.slack.app.requestUrl ?? '', { method: 'POST', body, headers })).status;

const nowS = (): number => Math.floor(Date.now() / 1_000);

describe('a request that says it is from Slack', () => {
  it('is taken when it is', async () => {
    expect(await send(bot.slack.sign(attempt()))).toBe(200);
  });

  it.each([
    ['six minutes ago', -360],
    ['for in six minutes', 360],
  ])('is refused when it was signed %s', async (_, seconds) => {
    expect(await send(bot.slack.sign(attempt(), nowS() + seconds))).toBe(401);
  });

  it('is refused when its body was changed, its signature is another’s, or it has none', async () => {
    const { body, headers } = bot.slack.sign(attempt());
    expect(await send({ body: body.replace('U1', 'U2'), headers })).toBe(401);
    const signature = { 'x-slack-signature': `v0=${'0'.repeat(64)}` };
    expect(await send({ body, headers: { ...headers, ...signature } })).toBe(401);
    expect(await send({ body, headers: { 'content-type': 'application/json' } })).toBe(401);
  });

  it('is refused when it is larger than any of Slack’s', async () => {
    const { payload } = attempt();
    const large = bot.slack.sign({
      ...attempt(),
      payload: { ...payload, more: 'a'.repeat(1_100_000) },
    });
    expect(await send(large)).toBe(413);
  });

  it('is refused when it ends too early', async () => {
    const { body, headers } = bot.slack.sign(attempt());
    expect(await send({ body: body.slice(0, -10), headers })).toBe(401);
  });

  it('is refused when it says nothing, and ends nothing', async () => {
    const nothing = { ...attempt(), payload: null } as unknown as ReturnType<typeof attempt>;
    expect(await send(bot.slack.sign(nothing))).toBe(400);
    expect(await send(bot.slack.sign({ ...nothing, kind: 'interactive' } as never))).toBe(400);
    expect(await send(bot.slack.sign(attempt()))).toBe(200);
  });

  it('finds nothing at other addresses', async () => {
    const { origin } = new URL(bot.slack.app.requestUrl ?? '');
    for (const path of ['/', '/slack', '/slack/install', '/slack/events'])
      expect((await fetch(origin + path)).status).toBe(404);
  });
});

describe('a request that nobody can read', () => {
  it.each(['//', '//[', '/\\\\', '/slack/events?x=//'])(
    'of %s finds nothing, and no log grows',
    async (path) => {
      const { hostname: host, port } = new URL(bot.slack.app.requestUrl ?? '');
      const lines = bot.logged.length;
      const { statusCode } = await new Promise<IncomingMessage>((resolve) => {
        get({ host, port, path }, (response) => resolve(response.resume()));
      });
      expect(statusCode).toBe(404);
      expect(bot.logged.slice(lines)).toEqual([]);
    },
  );
});

describe('a use of the app', () => {
  it.each([
    ['command', 'slash_commands', { command: '/dragoman', text: 'a secret' }],
    ['shortcut', 'interactive', { type: 'shortcut', callback_id: 'translate', user: 'a secret' }],
    ['form', 'interactive', { type: 'block_suggestion', action_id: 'a', value: 'a secret' }],
    [
      'control',
      'interactive',
      {
        type: 'block_actions',
        user: { id: 'U1' },
        actions: [{ type: 'button', action_id: 'a', block_id: 'b', value: 'a secret' }],
      },
    ],
    [
      'modal',
      'interactive',
      {
        type: 'view_submission',
        user: { id: 'U1' },
        view: { type: 'modal', callback_id: COMMAND_MODAL, private_metadata: ['a secret'] },
      },
    ],
  ] as const)(
    'whose %s has an unknown shape is logged, without its words',
    async (_, kind, body) => {
      const payload = { ...body, team_id: bot.workspace.id };
      await send(bot.slack.sign({ kind, payload, retry: 0, reason: undefined }));
      await expect.poll(() => bot.errors.join('')).toContain('could not be handled');
      expect(bot.errors.splice(0).join('')).not.toContain('a secret');
    },
  );
});

describe('an event', () => {
  it('is not acknowledged before its message is stored', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const full = vi.spyOn(bot.store, 'write').mockRejectedValue(new Error('the disk is full'));
    const said = at.channel.say(at.ann, 'This message must not be lost');
    const record = () => bot.slack.events.log.find(({ event }) => event['ts'] === said.ts);
    await bot.slack.until(() => (record()?.outcomes.length ?? 0) > 0);
    full.mockRestore();
    expect(record()?.outcomes[0]).toMatchObject({ acked: false });
    expect(bot.errors.join('')).toMatch(/"type":"message".*could not be stored/);
    await bot.slack.until(() => repliesTo(said).length === 1);
    bot.errors.splice(0);
  });

  it('of a message that changed before it arrived does not bring its former text back', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    bot.slack.events.disturb({ copies: 2, jitterMs: 60 });
    const said = Array.from({ length: 10 }, (_, index) => {
      const message = at.channel.say(at.ann, `The first words of message ${index}`);
      message.edit(`The final words of message ${index}`);
      return message;
    });
    await bot.slack.events.settled();
    bot.slack.events.disturb({});
    await bot.slack.until(() =>
      said.every((message) => repliesTo(message)[0]?.words.includes('es:The final words') ?? false),
    );
    for (const message of said) expect(repliesTo(message)).toHaveLength(1);
  });

  it('of a deleted message brings nothing back', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const said = at.channel.say(at.ann, 'This was said by mistake today');
    await bot.slack.until(() => repliesTo(said).length === 1);
    const record = bot.slack.events.log.find(({ event }) => event['ts'] === said.ts);
    said.delete();
    await bot.slack.until(() => said.replies.length === 0);
    if (record) await bot.slack.events.repeat(record);
    const next = at.channel.say(at.ann, 'This was said on purpose today');
    await bot.slack.until(() => repliesTo(next).length === 1);
    expect(said.replies).toEqual([]);
  });
});
