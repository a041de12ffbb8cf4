/** SILK and CELT, 20 ms, mono; the voice bit is set in the byte after it (RFC 6716 section 4.2.3). */
const VOICED = [0x78, 0x80] as const;
/** Follows the number of a text in a packet of it. */
const MARK = [0xd7, 0x3a] as const;

/** Opus packets that carry texts, which are found again in the audio files made of them. */
export interface TextPackets {
  /** One packet of a text; `sequence` makes it differ from those before. */
  packet(text: string, sequence: number): Uint8Array;
  /** The texts in an audio file, one for each that is in it. */
  textsIn(audio: Uint8Array): readonly string[];
}

export const createTextPackets = (): TextPackets => {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    texts[number] = text;
    return number;
  };
  return {
    packet: (text, sequence) => {
      const number = numberOf(text);
      return Uint8Array.of(...VOICED, number >> 8, number & 255, ...MARK, sequence & 255);
    },
    textsIn: (audio) => {
      const found = new Set<string>();
      for (let at = 0; at + 5 < audio.length; at += 1)
        if (
          audio[at] === VOICED[0] &&
          audio[at + 1] === VOICED[1] &&
          audio[at + 4] === MARK[0] &&
          audio[at + 5] === MARK[1]
        )
          found.add(texts[audio[at + 2]! * 256 + audio[at + 3]!] ?? '?');
      return [...found];
    },
  };
};
