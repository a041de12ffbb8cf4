import assert from 'node:assert/strict';
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, median } from './measure.ts';
import { FFMPEG, ours, receiveAlone, recipe, type Path } from './voice/paths.ts';
import { ACKNOWLEDGED, type Batch } from './voice/sender.ts';
import type { OpusKind } from './voice/sounds.ts';
import { createTraffic, type Traffic } from './voice/traffic.ts';

/**
 * What ten speakers cost from their datagrams to the bodies for the recogniser: our way, and that of
 * most voice bots, which open packets as we do, then decode them and have ffmpeg make a WAV file of
 * each utterance.
 */

const ROUNDS = 3;
const TICK_MS = 10;
const PARTIAL_EVERY_MS = 1_200;

/** Of this process, and of its children that have ended. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (user + system) / 1_000 + (Number(fields[13]) + Number(fields[14])) * TICK_MS;
};

interface Cost {
  /** Of a second of sound that was sent. */
  readonly cpuMs: number;
  readonly bodies: number;
  readonly bytes: number;
}

const measure = async (sender: ChildProcess, traffic: Traffic, path: Path): Promise<Cost> => {
  const datagrams = traffic.datagrams();
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const all = Promise.withResolvers<void>();
  let count = 0;
  socket.on('message', (message, { port }) => {
    count += 1;
    path.datagram(message);
    if (count % ACKNOWLEDGED === 0) socket.send('ok', port, '127.0.0.1');
    if (count === datagrams.length) all.resolve();
  });
  sender.send({ port: socket.address().port, datagrams } satisfies Batch);
  await once(sender, 'message');
  const startMs = cpuMs();
  sender.send('go');
  await all.promise;
  const { bodies, bytes } = await path.end();
  const spentMs = cpuMs() - startMs;
  socket.close();
  return { cpuMs: (spentMs * 1_000) / traffic.sentMs, bodies, bytes };
};

const hasFfmpeg = spawnSync(FFMPEG, ['-version']).status === 0;
const SIDES = {
  'packets opened and thrown away': (traffic: Traffic) => receiveAlone(traffic),
  'our way': (traffic: Traffic) => ours(traffic, 0),
  'our way, captions while people speak': (traffic: Traffic) => ours(traffic, PARTIAL_EVERY_MS),
  [hasFfmpeg ? 'the common way' : 'the common way without ffmpeg, which is not installed']: (
    traffic: Traffic,
  ) => recipe(traffic, hasFfmpeg),
};

/** What it costs on the way, all sides in turn. */
const compare = async (sender: ChildProcess, kind: OpusKind, title: string): Promise<void> => {
  const traffic = await createTraffic(kind);
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [side, open] of Object.entries(SIDES)) {
      const cost = await measure(sender, traffic, await open(traffic));
      // The first round is to warm up.
      if (round > 0) costs.set(side, [...(costs.get(side) ?? []), cost]);
    }
  const sent = fixed(traffic.sentMs / 1_000, 0);
  console.log(`
### ${title}: ${sent} s of ${traffic.speakers.length} speakers

| way | processor time of a second of a speaker | speakers a core | bodies | bytes of a second |
|---|---|---|---|---|`);
  for (const [side, rounds] of costs) {
    const ms = median(rounds.map((cost) => cost.cpuMs));
    const bytes = (median(rounds.map((cost) => cost.bytes)) * 1_000) / traffic.sentMs;
    const bodies = median(rounds.map((cost) => cost.bodies));
    console.log(
      `| ${side} | ${fixed(ms)} ms | ${fixed(1_000 / ms, 0)} | ${bodies} | ${fixed(bytes, 0)} |`,
    );
  }
  const [, own = [], growing = [], common = []] = [...costs.values()];
  for (const { bodies } of [own, growing, common].flat()) assert(bodies > 0, 'nothing was heard');
  const ratio = (of: (cost: Cost, index: number) => number): string =>
    fixed(median(common.map(of)), 1);
  console.log(`
The common way takes ${ratio((cost, index) => cost.cpuMs / own[index]!.cpuMs)} times the processor time and ${ratio((cost, index) => cost.bytes / own[index]!.bytes)} times the bytes.`);
};

const sender = fork(join(import.meta.dirname, 'voice/sender.ts'), { serialization: 'advanced' });
await compare(sender, 'hybrid', 'Speech whose packets tell what is voice');
await compare(sender, 'celt', 'Open microphones whose packets do not tell');
sender.kill();
