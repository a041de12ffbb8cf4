import { describe, expect, it } from 'vitest';
import { clientOf } from './bolt.ts';
import { startSlackFake } from './index.ts';

const start = async (options = {}) => {
  const slack = await startSlackFake({ limits: 'off', ...options });
  const workspace = slack.workspace();
  const channel = workspace.channel({ name: 'talk' });
  return {
    slack,
    workspace,
    channel,
    client: clientOf(slack, workspace.botToken),
    [Symbol.asyncDispose]: async () => slack[Symbol.asyncDispose](),
  };
};

const refused = (error: string) => ({ data: { error } });
const words = (text: string) => ({ type: 'rich_text_section', elements: [{ type: 'text', text }] });

describe('who may call', () => {
  it.each([
    ['nobody', 'xoxb-unknown', 'invalid_auth'],
    ['a removed app', 'removed', 'token_revoked'],
    ['the app-level token', 'app', 'not_allowed_token_type'],
  ])('refuses %s', async (_, token, error) => {
    await using given = await start();
    const { slack, workspace } = given;
    const own = workspace.botToken;
    if (token === 'removed') workspace.uninstall();
    const used = token === 'removed' ? own : token === 'app' ? slack.app.appToken : token;
    await expect(clientOf(slack, used).auth.test()).rejects.toMatchObject(refused(error));
  });

  it('names a missing scope', async () => {
    await using given = await start();
    given.workspace.withoutScopes('chat:write');
    const post = given.client.chat.postMessage({ channel: given.channel.id, text: 'hi' });
    await expect(post).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'chat:write' },
    });
  });

  it('ends a rotated token after twelve hours, and refreshes it', async () => {
    await using given = await start({ rotatesTokens: true });
    const { slack, workspace, client } = given;
    const { refreshToken = '' } = workspace.installation;
    slack.clock.advance(13 * 3_600_000);
    await expect(client.auth.test()).rejects.toMatchObject(refused('token_expired'));
    const next = await clientOf(slack, '').oauth.v2.access({
      client_id: slack.app.clientId,
      client_secret: slack.app.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    expect(next.access_token).toBe(workspace.botToken);
    expect((await clientOf(slack, next.access_token ?? '').auth.test()).team_id).toBe(workspace.id);
  });
});

describe('posting', () => {
  it.each<[string, string, object]>([
    ['nothing', 'no_text', {}],
    [
      '51 blocks',
      'invalid_blocks',
      { blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) },
    ],
    [
      'a section that is too long',
      'invalid_blocks',
      { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'a'.repeat(3_001) } }] },
    ],
    [
      'an empty element',
      'invalid_blocks',
      { blocks: [{ type: 'rich_text', elements: [words('')] }] },
    ],
    [
      'an unknown field',
      'invalid_blocks',
      { blocks: [{ type: 'rich_text', elements: [{ ...words('a'), border: 7 }] }] },
    ],
    [
      'more than fits in all blocks',
      'msg_blocks_too_long',
      {
        blocks: Array.from({ length: 5 }, () => ({
          type: 'rich_text',
          elements: [words('a'.repeat(2_900))],
        })),
      },
    ],
    ['an unknown thread', 'thread_not_found', { text: 'a', thread_ts: '1.000001' }],
  ])('refuses %s', async (_, error, content) => {
    await using given = await start();
    const post = given.client.chat.postMessage({ channel: given.channel.id, ...content } as never);
    await expect(post).rejects.toMatchObject(refused(error));
  });

  it.each([
    ['an archived channel', 'is_archived'],
    ['a private channel that the app is not in', 'channel_not_found'],
    ['a channel where only some may post', 'restricted_action'],
  ])('refuses %s', async (_, error) => {
    await using given = await start();
    const { channel, workspace, client } = given;
    if (error === 'is_archived') channel.archive();
    if (error === 'restricted_action') channel.state.restricted = true;
    const other =
      error === 'channel_not_found' ? workspace.channel({ kind: 'private', bot: false }) : channel;
    const post = client.chat.postMessage({ channel: other.id, text: 'hi' });
    await expect(post).rejects.toMatchObject(refused(error));
  });

  it('allows one post a second in each channel', async () => {
    await using given = await start({ limits: 'on' });
    const { client, channel, workspace } = given;
    await client.chat.postMessage({ channel: channel.id, text: 'one' });
    await client.chat.postMessage({ channel: workspace.channel().id, text: 'elsewhere' });
    const second = client.chat.postMessage({ channel: channel.id, text: 'two' });
    await expect(second).rejects.toMatchObject({ retryAfter: 1 });
  });

  it('refuses an update of more than 4,000 bytes, and takes the blocks away with a text alone', async () => {
    await using given = await start();
    const { client, channel } = given;
    const { ts = '' } = await client.chat.postMessage({
      channel: channel.id,
      text: 'a',
      blocks: [{ type: 'rich_text', elements: [words('a')] }] as never,
    });
    const long = client.chat.update({ channel: channel.id, ts, text: 'あ'.repeat(1_334) });
    await expect(long).rejects.toMatchObject(refused('msg_too_long'));
    await client.chat.update({ channel: channel.id, ts, text: 'b' });
    expect(channel.posts.map(({ text, blocks }) => [text, blocks])).toEqual([['b', []]]);
  });

  it('changes and deletes only the app’s own messages', async () => {
    await using given = await start();
    const { client, channel, workspace } = given;
    const { ts } = channel.say(workspace.user(), 'mine');
    await expect(client.chat.update({ channel: channel.id, ts, text: 'x' })).rejects.toMatchObject(
      refused('cant_update_message'),
    );
    await expect(client.chat.delete({ channel: channel.id, ts })).rejects.toMatchObject(
      refused('cant_delete_message'),
    );
  });

  it('leaves a tombstone of a deleted parent, told as a change', async () => {
    await using given = await start();
    const { slack, channel, workspace } = given;
    const ann = workspace.user();
    const parent = channel.say(ann, 'parent');
    channel.say(ann, 'reply', { thread: parent });
    parent.delete();
    expect(slack.events.log.at(-1)?.event).toMatchObject({
      subtype: 'message_changed',
      message: { subtype: 'tombstone' },
    });
  });

  it('notes whom a message of the app notifies', async () => {
    await using given = await start();
    const { slack, client, channel } = given;
    await client.chat.postMessage({ channel: channel.id, text: 'hi <@U1> &lt;!here&gt;' });
    expect(slack.pings.map(({ who }) => who)).toEqual(['member U1']);
  });

  it('notes whom a change of a message notifies who was not mentioned before', async () => {
    await using given = await start();
    const { slack, client, channel } = given;
    const { ts = '' } = await client.chat.postMessage({ channel: channel.id, text: 'hi <@U1>' });
    await client.chat.update({ channel: channel.id, ts, text: 'hi <@U1> and <@U2>' });
    expect(slack.pings.map(({ who }) => who)).toEqual(['member U1', 'member U2']);
  });

  it('shows metadata only to those who ask for it', async () => {
    await using given = await start();
    const { client, channel } = given;
    const metadata = { event_type: 'mirror', event_payload: { of: '1' } };
    await client.chat.postMessage({ channel: channel.id, text: 'a', metadata });
    const read = async (asked: boolean) =>
      (await client.conversations.history({ channel: channel.id, include_all_metadata: asked }))
        .messages?.[0]?.metadata;
    expect([await read(true), await read(false)]).toEqual([metadata, undefined]);
  });
});

describe('reading', () => {
  it('pages history from the newest, replies apart', async () => {
    await using given = await start();
    const { client, channel, workspace } = given;
    const ann = workspace.user();
    const [first] = ['one', 'two', 'three'].map((text) => channel.say(ann, text));
    if (!first) throw new Error();
    channel.say(ann, 'reply', { thread: first });
    const page = await client.conversations.history({ channel: channel.id, limit: 2 });
    expect(page.messages?.map(({ text }) => text)).toEqual(['three', 'two']);
    const rest = await client.conversations.history({
      channel: channel.id,
      limit: 2,
      cursor: page.response_metadata?.next_cursor ?? '',
    });
    expect(rest.messages?.map(({ text }) => text)).toEqual(['one']);
    const thread = await client.conversations.replies({ channel: channel.id, ts: first.ts });
    expect(thread.messages?.map(({ text }) => text)).toEqual(['one', 'reply']);
  });

  it('gives the messages closest to a time after which they are asked for, unless an end is named, too', async () => {
    await using given = await start();
    const { client, channel, workspace } = given;
    const ann = workspace.user();
    const [one] = ['one', 'two', 'three'].map((text) => channel.say(ann, text));
    const range = { channel: channel.id, limit: 2, oldest: one!.ts, inclusive: true };
    const read = async (more: object) =>
      (await client.conversations.history({ ...range, ...more })).messages?.map(({ text }) => text);
    expect(await read({})).toEqual(['two', 'one']);
    expect(await read({ latest: '9999999999.000000' })).toEqual(['three', 'two']);
  });

  it('gives 15 messages a minute and method where history is limited', async () => {
    await using given = await start({ limits: 'on' });
    const { slack, client, channel, workspace } = given;
    workspace.state.history = 'limited';
    const ann = workspace.user();
    for (let count = 0; count < 20; count += 1) channel.say(ann, String(count));
    const first = channel.say(ann, 'the last one');
    const read = async () => client.conversations.history({ channel: channel.id, limit: 100 });
    expect((await read()).messages).toHaveLength(15);
    await expect(read()).rejects.toMatchObject({ retryAfter: 60 });
    const thread = { channel: channel.id, ts: first.ts };
    expect((await client.conversations.replies(thread)).messages).toHaveLength(1);
    await expect(client.conversations.replies(thread)).rejects.toMatchObject({ retryAfter: 60 });
    slack.clock.advance(60_000);
    expect((await read()).messages).toHaveLength(15);
  });

  it('serves files to a token with files:read, and a login page to others', async () => {
    await using given = await start();
    const { client, channel, workspace } = given;
    channel.say(workspace.user(), '', {
      files: [{ name: 'a.txt', mimetype: 'text/plain', bytes: new TextEncoder().encode('hello') }],
    });
    const { messages } = await client.conversations.history({ channel: channel.id });
    const url = messages?.[0]?.files?.[0]?.url_private ?? '';
    const read = async (headers: Record<string, string>) => (await fetch(url, { headers })).text();
    expect(await read({ authorization: `Bearer ${workspace.botToken}` })).toBe('hello');
    expect(await read({})).toContain('Sign in');
  });

  it('takes an upload and shares it a moment later', async () => {
    await using given = await start();
    const { client, channel } = given;
    await client.filesUploadV2({
      channel_id: channel.id,
      file: Buffer.from('bytes'),
      filename: 'a.txt',
      initial_comment: 'see',
    });
    const [post] = await channel.until((posts) => posts.length === 1);
    expect(post?.state.files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['bytes']);
  });
});
