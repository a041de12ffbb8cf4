import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import type { VoicePacket } from '../../../../src/ports/voice.ts';
import { utteranceFile } from '../../../../src/voice/stt/utterance.ts';
import { createEndpointer } from '../../../../src/voice/stt/endpointer.ts';
import { decodeAll, fixture, likeness, sourceOf } from '../../audio/support.ts';
import { encodePackets } from '../../../fakes/opus.ts';
import { bitVad } from './support.ts';

const VOIP = { application: 2048, bitrate: 32_000 } as const;

const speech = await decodeAll(sourceOf(fixture('speech.opus')), 48_000);
const twice = concatSamples([speech, speech]);

const sent = (packets: readonly Uint8Array[]): VoicePacket[] => {
  let timestampSamples = 0;
  return packets.map((data, sequence) => {
    const at = { sequence, timestampSamples, arrivedMs: timestampSamples / 48 };
    timestampSamples += parseToc(data)!.samples;
    return { speakerId: 'ann', data, ...at };
  });
};

/** What was said, all of it voice, as files. */
const filesOf = (packets: readonly VoicePacket[], longestMs = 60_000) => {
  const endpointer = createEndpointer({
    longestMs,
    vad: { ...bitVad(), isVoice: ({ data }) => data.length > 3 },
  });
  return [...packets.flatMap((packet) => endpointer.take(packet)), ...endpointer.endAll()]
    .filter(({ kind }) => kind === 'ended')
    .map(({ utterance }) => utteranceFile(utterance));
};

const secondsOf = async (file: ReturnType<typeof utteranceFile>): Promise<number> =>
  (await decodeAll(file.audio, 48_000)).length / 48_000;

describe('a file of an utterance', () => {
  it('decodes to what was said, in its length', async () => {
    const packets = encodePackets(speech, VOIP);
    const [file] = filesOf(sent(packets));
    expect(await secondsOf(file!)).toBeCloseTo(file!.durationMs / 1_000, 3);
    expect(file!.durationMs / 1_000).toBeCloseTo(packets.length * 0.02, 1);
    const heard = await decodeAll(file!.audio);
    const said = await decodeAll(sourceOf(fixture('speech.opus')));
    expect(likeness(heard, said)).toBeGreaterThan(0.95);
  });

  it('knows its size, and can be read again', async () => {
    const [file] = filesOf(sent(encodePackets(speech, VOIP)));
    const first = Buffer.concat(await Array.fromAsync(file!.audio.open()));
    expect(first.length).toBe(file!.audio.sizeBytes);
    expect(Buffer.concat(await Array.fromAsync(file!.audio.open()))).toEqual(first);
  });

  it('keeps its time where packets are lost', async () => {
    const packets = sent(encodePackets(speech, VOIP));
    const whole = filesOf(packets)[0]!;
    const [file] = filesOf(packets.filter((_, index) => index % 10 !== 5 && index % 40 < 33));
    expect(await secondsOf(file!)).toBeCloseTo(file!.durationMs / 1_000, 3);
    expect(Math.abs(file!.durationMs - whole.durationMs)).toBeLessThanOrEqual(8 * 20);
  });

  it('keeps its time where nothing is sent in pauses', async () => {
    const packets = sent(encodePackets(speech, VOIP));
    const later = packets.slice(60).map((packet) => ({
      ...packet,
      timestampSamples: packet.timestampSamples + 400 * 48,
      arrivedMs: packet.arrivedMs + 400,
    }));
    const [file] = filesOf([...packets.slice(0, 60), ...later]);
    expect(file!.durationMs).toBeCloseTo(filesOf(packets)[0]!.durationMs + 400, 3);
    expect(await secondsOf(file!)).toBeCloseTo(file!.durationMs / 1_000, 3);
  });

  it('begins with what is said after a cut in a pause, not with the pause', async () => {
    const packets = sent(encodePackets(twice, VOIP));
    const later = packets.slice(120).map((packet) => ({
      ...packet,
      timestampSamples: packet.timestampSamples + 500 * 48,
      arrivedMs: packet.arrivedMs + 500,
    }));
    const [before, after] = filesOf([...packets.slice(0, 120), ...later], 4_000);
    expect(await secondsOf(before!)).toBeCloseTo(before!.durationMs / 1_000, 3);
    expect(before!.durationMs / 1_000).toBeCloseTo(120 * 0.02, 1);
    expect(await secondsOf(after!)).toBeCloseTo(after!.durationMs / 1_000, 3);
  });

  it('holds packets of all lengths, in mono and stereo', async () => {
    const packets = [
      ...encodePackets(speech, VOIP),
      ...encodePackets(speech, { ...VOIP, channels: 2 }),
      ...encodePackets(speech, { frameSize: 480 }),
      ...encodePackets(speech, { ...VOIP, frameSize: 1_920 }),
      ...encodePackets(speech, { ...VOIP, frameSize: 2_880 }),
    ];
    const [file] = filesOf(sent(packets));
    expect(file!.durationMs / 1_000).toBeCloseTo((speech.length / 48_000) * 5, 0);
    expect(await secondsOf(file!)).toBeCloseTo(file!.durationMs / 1_000, 3);
  });

  it('of what goes on after a cut begins where the one before ended, in full quality', async () => {
    const packets = sent(encodePackets(twice, VOIP));
    const files = filesOf(packets, 4_000);
    expect(files).toHaveLength(2);
    const parts = await Promise.all(files.map(({ audio }) => decodeAll(audio)));
    const whole = await decodeAll(filesOf(packets)[0]!.audio);
    const together = concatSamples(parts);
    expect(Math.abs(together.length - whole.length)).toBeLessThanOrEqual(2);
    expect(likeness(together, whole)).toBeGreaterThan(0.98);
  });
});
