import { describe, expect, it } from 'vitest';
import { startBolt } from './bolt.ts';
import { startSlackFake, type SlackFake } from './index.ts';

const addressOf = async (slack: SlackFake): Promise<string> => {
  const response = await fetch(`${slack.url}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.app.appToken}` },
  });
  return ((await response.json()) as { url: string }).url;
};

describe('Socket Mode', () => {
  it('delivers an event of a channel that the app is in, once it is acknowledged', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const [inside, outside] = [workspace.channel(), workspace.channel({ bot: false })];
    const heard: string[] = [];
    await using _ = await startBolt(slack, workspace, (app) =>
      app.message(
        async ({ message }) => void heard.push('text' in message ? (message.text ?? '') : ''),
      ),
    );
    const ann = workspace.user();
    outside.say(ann, 'not heard');
    inside.say(ann, 'a < b');
    await slack.until(() => heard.length === 1);
    await slack.events.settled();
    expect(heard).toEqual(['a &lt; b']);
    expect(slack.events.log.at(-1)?.outcomes).toEqual([
      { acked: true, body: {}, afterMs: expect.any(Number) },
    ]);
  });

  it('delivers an event again that nobody acknowledged, three times at most', async () => {
    await using slack = await startSlackFake({ speed: 10_000, ackMs: 20 });
    const workspace = slack.workspace();
    workspace.channel().say(workspace.user(), 'to nobody');
    await slack.events.settled();
    const record = slack.events.log.at(-1);
    expect(record?.outcomes).toHaveLength(4);
    expect(record?.lost).toBe(true);
  });

  it('delivers to one of several sockets', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const heard = [0, 0];
    const start = async (index: number) =>
      startBolt(slack, workspace, (app) =>
        app.message(async () => {
          heard[index] = (heard[index] ?? 0) + 1;
        }),
      );
    await using first = await start(0);
    await using second = await start(1);
    expect([first, second]).toHaveLength(2);
    const channel = workspace.channel();
    const ann = workspace.user();
    for (let count = 0; count < 4; count += 1) channel.say(ann, 'hello');
    await slack.until(() => heard[0] === 2 && heard[1] === 2);
  });

  it('answers a command with what its acknowledgement holds', async () => {
    await using slack = await startSlackFake();
    const workspace = slack.workspace();
    const channel = workspace.channel({ bot: false });
    await using _ = await startBolt(slack, workspace, (app) =>
      app.command('/dragoman', async ({ ack, command }) => ack(`you said ${command.text}`)),
    );
    const ann = workspace.user();
    const use = slack.command(ann, channel, '/dragoman', 'help “me”');
    expect(await use.outcome).toMatchObject({ acked: true });
    expect(channel.ephemeralsFor(ann).map(({ text }) => text)).toEqual(['you said help “me”']);
  });

  it('tells a person who uses a command that nobody answers', async () => {
    await using slack = await startSlackFake({ ackMs: 30 });
    const workspace = slack.workspace();
    await using _ = await startBolt(slack, workspace, () => {});
    const use = slack.command(workspace.user(), workspace.channel(), '/other');
    expect(await use.outcome).toEqual({ acked: false, reason: 'timeout' });
  });

  it('refuses a second use of the same address', async () => {
    await using slack = await startSlackFake();
    const url = await addressOf(slack);
    const opened = async (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      });
    expect([await opened(), await opened()]).toEqual([true, false]);
  });

  it('says hello, and tells clients to go when its servers are renewed', async () => {
    await using slack = await startSlackFake();
    const socket = new WebSocket(await addressOf(slack));
    const told: unknown[] = [];
    socket.addEventListener('message', ({ data }) => {
      told.push((JSON.parse(String(data)) as { type: string }).type);
      if (told.length === 1) slack.sockets.disconnect();
      else socket.close();
    });
    await new Promise((resolve) => socket.addEventListener('close', resolve));
    expect(told).toEqual(['hello', 'disconnect']);
  });
});
