const RATE_HZ = 8_000;

/** A WAV of tone and, every 20 seconds, a second of silence. */
export const toneWav = (seconds: number): Uint8Array => {
  const samples = Buffer.alloc(seconds * RATE_HZ * 2);
  for (let index = 0; index < seconds * RATE_HZ; index += 1) {
    const loud = (index / RATE_HZ) % 20 < 19;
    samples.writeInt16LE(loud ? Math.round(8_000 * Math.sin(index / 4)) : 0, index * 2);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE_HZ, 24);
  head.writeUInt32LE(RATE_HZ * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
};
