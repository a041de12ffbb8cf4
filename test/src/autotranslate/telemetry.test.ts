import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

describe('the metrics of messages', () => {
  const scene = withScene([watchOf(GENERAL)]);
  const lines = async () =>
    (await scene.metrics.text()).split('\n').filter((line) => line.startsWith('dragoman_'));
  const value = async (name: string) =>
    Number((await lines()).find((line) => line.startsWith(`${name} `))?.slice(name.length));

  it('count each message once, by what became of it', async () => {
    scene.poisoned.add('bad');
    await scene.say(GENERAL, 'hello');
    await scene.say(GENERAL, 'from a bot', {
      author: { id: 'bot', name: 'Bot', kind: 'bot' },
    });
    await scene.idle();
    const { platform } = GENERAL.space;
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `dragoman_messages_total{platform="${platform}",outcome="posted"} 1`,
        `dragoman_messages_total{platform="${platform}",outcome="skipped"} 1`,
        `dragoman_event_to_post_seconds_count{platform="${platform}"} 1`,
      ]),
    );
  });

  it('count from zero, so that an alert sees the first that is given up', async () => {
    const { platform } = GENERAL.space;
    expect(await lines()).toContain(
      `dragoman_messages_total{platform="${platform}",outcome="dead"} 0`,
    );
  });

  it('measure from the event, whatever it waited for', async () => {
    scene.faults.set('hello', [new AppError('unavailable', 'away', { retryable: true })]);
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.later();
    const sum = (await lines()).find((line) => line.includes('event_to_post_seconds_sum'));
    expect(Number(sum?.split(' ')[1])).toBeGreaterThanOrEqual(60);
  });

  it('tell how long the oldest message waits, and how many do', async () => {
    expect(await value('dragoman_inbox_oldest_waiting_seconds')).toBe(0);
    scene.service.fault = new AppError('unavailable', 'away', { retryable: true });
    await scene.say(GENERAL, 'one');
    await scene.say(GENERAL, 'two');
    scene.clock.aheadMs += 90_000;
    expect(await value('dragoman_inbox_oldest_waiting_seconds')).toBeGreaterThanOrEqual(90);
    expect(await value('dragoman_inbox_waiting_messages')).toBe(2);
  });

  it('name no channel, person or space', async () => {
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    const labels = (await lines()).flatMap((line) => /\{(.*)\}/.exec(line)?.[1] ?? []);
    for (const id of [GENERAL.id, GENERAL.space.id])
      expect(labels.filter((label) => label.includes(`"${id}"`))).toEqual([]);
  });
});

describe('the log', () => {
  const scene = withScene([watchOf(GENERAL)]);
  const skips = () =>
    scene.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'skipped');

  it('has a line at debug for each message that is skipped, with the id of its trace and no text', async () => {
    const command = await scene.say(GENERAL, '!play a song');
    const spanish = await scene.say(GENERAL, 'es:hola');
    await scene.idle();
    const { platform } = GENERAL.space;
    const line = { level: 20, platform, channel: GENERAL.id, purpose: 'watch' };
    const traced = { trace_id: expect.stringMatching(/^[\da-f]{32}$/) as string };
    expect(skips()).toMatchObject([
      { ...line, ...traced, message: command.ref.id, reason: 'command' },
      { ...line, ...traced, message: spanish.ref.id, reason: 'same-language' },
    ]);
    expect(JSON.stringify(skips())).not.toMatch(/song|hola/);
  });
});
