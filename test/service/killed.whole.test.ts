import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../fakes/eventually.ts';
import { startCallers, type Tally } from '../fakes/killed/callers.ts';
import {
  openBackEndScene,
  openSecondEngineScene,
  openServiceScene,
  type KillScene,
} from '../fakes/killed/scenes.ts';

const KILLS = 3;
const LIFE_MS = 300;

const sockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/**
 * Kills again and again while all kinds of calls are made, until each kind is answered again; everything
 * is closed at the end.
 */
const run = async (open: () => Promise<KillScene>): Promise<ReadonlyMap<string, Tally>> => {
  const before = sockets();
  const tallies = await (async () => {
    await using scene = await open();
    const callers = startCallers(scene.calls);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay((LIFE_MS * (kill + 1)) / KILLS);
      await scene.victim.kill();
      await scene.victim.start();
    }
    const answered = [...callers.tallies].map(([kind, tally]) => [kind, tally.answered] as const);
    await eventually(() => {
      for (const [kind, count] of answered)
        expect(callers.tallies.get(kind)?.answered, kind).toBeGreaterThan(count);
    });
    await callers.stop();
    return callers.tallies;
  })();
  await eventually(() => expect(sockets()).toBe(before));
  return tallies;
};

const codesOf = (tallies: ReadonlyMap<string, Tally>): string[] => [
  ...new Set([...tallies.values()].flatMap(({ errors }) => [...errors.keys()])),
];

describe('killed again and again in the middle of calls of every kind', () => {
  it('the service leaves its client one clear error a call, and no connection', async () => {
    expect(codesOf(await run(openServiceScene))).toEqual(['unavailable']);
  });

  it('a back end leaves the client of the service one clear error a call', async () => {
    expect(codesOf(await run(openBackEndScene))).toEqual(['unavailable']);
  });

  it('a back end is noticed by no client while a second engine can do its work', async () => {
    expect(codesOf(await run(openSecondEngineScene))).toEqual([]);
  });
});
