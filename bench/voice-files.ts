import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPUS_CLOCK_HZ, SILENCE_PACKET } from '../src/audio/opus/packet.ts';
import { utteranceFile, type UtteranceFile } from '../src/voice/stt/utterance.ts';
import { createEndpointer } from '../src/voice/stt/endpointer.ts';
import type { VoicePacket } from '../src/ports/voice.ts';
import { APPLICATION, encodePackets, type OpusEncoding } from '../test/fakes/opus.ts';
import { fixed } from './measure.ts';
import { openSynthesiser } from './voice/sounds.ts';

/**
 * Files of utterances, as they go to a recogniser, before the judges of others: opusinfo (opus-tools) and
 * ffprobe (ffmpeg), which have to be installed.
 */

const JUDGES = ['opusinfo', 'ffprobe'] as const;
/** A gap is filled with whole packets. */
const ALLOWED_MS = 20;
const WHOLE_MS = 60_000;
const CUT_MS = 2_000;

const missing = JUDGES.filter((judge) => spawnSync(judge, ['-version']).error);
if (missing.length > 0) {
  console.log(`${missing.join(' and ')} not found: apt-get install -y opus-tools ffmpeg`);
  process.exit(0);
}

await using synthesiser = await openSynthesiser();
const said = 'We shall meet at the station tomorrow morning, and then take the first train.';
const { sound } = await synthesiser.say(said, 'English (America)');

const VOIP = { application: APPLICATION.voip, bitrate: 40_000 };
const MUSIC = { application: APPLICATION.lowDelay, bitrate: 64_000 };

/** Undefined: nothing comes, although it was sent. */
type Sent = readonly (Uint8Array | undefined)[];

const encode = (frameMs: number, options: OpusEncoding, channels: 1 | 2 = 1) =>
  encodePackets(sound, { ...options, channels, frameSize: (OPUS_CLOCK_HZ * frameMs) / 1_000 });

const speech = encode(20, VOIP);
const music = encode(20, MUSIC);
const lostWhere = (isLost: (index: number) => boolean): Sent =>
  speech.map((packet, index) => (isLost(index) ? undefined : packet));
const half = speech.length >> 1;

const CASES: readonly (readonly [string, Sent, number?])[] = [
  ['20 ms, hybrid', speech],
  ['20 ms, CELT', music],
  ['10 ms', encode(10, VOIP), 10],
  ['40 ms', encode(40, VOIP), 40],
  ['60 ms', encode(60, VOIP), 60],
  ['stereo', encode(20, VOIP, 2)],
  ['12 kbit/s, SILK', encode(20, { ...VOIP, bitrate: 12_000 })],
  ['mono, stereo and CELT by turns', [...speech, ...encode(20, VOIP, 2), ...music]],
  ['one packet in ten lost', lostWhere((index) => index % 10 === 5)],
  ['300 ms lost', lostWhere((index) => index > half && index <= half + 15)],
  ['400 ms of silence', [...speech, ...Array<Uint8Array>(20).fill(SILENCE_PACKET), ...speech]],
  ['a pause in which nothing is sent', [...speech, ...Array<undefined>(25), ...speech]],
  ['lost, silence and other packets', [...lostWhere((index) => index % 7 === 3), ...music]],
];

const packetsOf = (sent: Sent, frameMs: number): VoicePacket[] =>
  sent.flatMap((data, sequence) =>
    data
      ? {
          speakerId: 'ann',
          data,
          sequence,
          timestampSamples: (sequence * frameMs * OPUS_CLOCK_HZ) / 1_000,
          arrivedMs: sequence * frameMs,
        }
      : [],
  );

const filesOf = (packets: readonly VoicePacket[], longestMs: number): UtteranceFile[] => {
  const endpointer = createEndpointer({ longestMs });
  return [...packets.flatMap((packet) => endpointer.take(packet)), ...endpointer.endAll()]
    .filter(({ kind }) => kind === 'ended')
    .map(({ utterance }) => utteranceFile(utterance));
};

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const path = join(folder, 'utterance.ogg');
/** RFC 7845 section 5.1, in the file's first page. */
const PRE_SKIP_AT = 38;

/** How much longer a file is for each judge than for us, and what they complain of. */
const judge = async ({ audio, durationMs }: UtteranceFile) => {
  const bytes = Buffer.concat(await Array.fromAsync(audio.open()));
  writeFileSync(path, bytes);
  const info = spawnSync('opusinfo', [path], { encoding: 'utf8' });
  const probe = ['-v', 'warning', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
  const { stdout, stderr } = spawnSync('ffprobe', probe, { encoding: 'utf8' });
  const [, minutes, seconds] = /Playback length: (\d+)m:([\d.]+)s/.exec(info.stdout) ?? [];
  // ffprobe counts what is decoded and not to be heard.
  const skippedMs = (bytes.readUInt16LE(PRE_SKIP_AT) * 1_000) / OPUS_CLOCK_HZ;
  return {
    infoMs: (Number(minutes) * 60 + Number(seconds)) * 1_000 - durationMs,
    probeMs: Number(stdout) * 1_000 - skippedMs - durationMs,
    complaints: [
      ...(`${info.stdout}${info.stderr}`.match(/warning:.*|error.*/gi) ?? []),
      ...stderr.split('\n').filter(Boolean),
    ],
  };
};

const most = (values: readonly number[]): number => Math.max(...values.map(Math.abs));

console.log('\n### Files of utterances before opusinfo and ffprobe\n');
console.log(
  '| packets | files | length off by opusinfo, by ffprobe | complaints |\n|---|---|---|---|',
);
let isGood = true;
for (const [what, sent, frameMs = 20] of CASES)
  for (const longestMs of [WHOLE_MS, CUT_MS]) {
    const verdicts: Awaited<ReturnType<typeof judge>>[] = [];
    for (const file of filesOf(packetsOf(sent, frameMs), longestMs))
      verdicts.push(await judge(file));
    const offMs = [
      most(verdicts.map(({ infoMs }) => infoMs)),
      most(verdicts.map(({ probeMs }) => probeMs)),
    ];
    const complaints = new Set(verdicts.flatMap((verdict) => verdict.complaints));
    const name = longestMs === CUT_MS ? `${what}, cut` : what;
    const off = offMs.map((ms) => `${fixed(ms, 0)} ms`).join(', ');
    console.log(
      `| ${name} | ${verdicts.length} | ${off} | ${[...complaints].join(' ') || 'none'} |`,
    );
    isGood &&= complaints.size === 0 && offMs.every((ms) => ms <= ALLOWED_MS);
  }
rmSync(folder, { recursive: true });
process.exitCode = isGood ? 0 : 1;
