/** Speech that is recognised by its bytes: each packet tells which word of whose utterance it is part of. */

/** Of one word. */
export const WORD_PACKETS = 10;
/** A word of which no more was heard is not understood. */
const NOT_ENOUGH_PACKETS = 5;

/** SILK, wide band, mono, 20 ms in one frame (RFC 6716 section 3.1), with its voice bit set. */
const START = Buffer.from([0x48, 0xab]);
const PACKET_BYTES = 60;

const letterOf = (speaker: number): string => String.fromCodePoint(0x61 + speaker);

/** What the words of an utterance are called, e.g. `b12x0` to `b12x7`; `speaker` counts from 0 to 25. */
export const wordsOf = (speaker: number, utterance: number, words: number): string[] =>
  Array.from({ length: words }, (_, word) => `${letterOf(speaker)}${utterance}x${word}`);

/** Packets of 20 ms. */
export const numberedSpeech = (speaker: number, utterance: number, words: number): Buffer[] =>
  Array.from({ length: words * WORD_PACKETS }, (_, index) => {
    const packet = Buffer.alloc(PACKET_BYTES, 0x11);
    START.copy(packet);
    packet.writeUInt8(speaker, 2);
    packet.writeUInt16BE(utterance, 3);
    packet.writeUInt16BE(index, 5);
    return packet;
  });

/** The words that are in what was sent to a recogniser, in their order. */
export const wordsHeard = (audio: Buffer): string[] => {
  const packets = new Map<string, Set<number>>();
  for (let at = audio.indexOf(START); at >= 0; at = audio.indexOf(START, at + 1)) {
    const index = audio.readUInt16BE(at + 5);
    const number = Math.floor(index / WORD_PACKETS);
    const word = `${letterOf(audio.readUInt8(at + 2))}${audio.readUInt16BE(at + 3)}x${number}`;
    packets.set(word, (packets.get(word) ?? new Set()).add(index));
  }
  return [...packets].filter(([, { size }]) => size > NOT_ENOUGH_PACKETS).map(([word]) => word);
};

/** The words that stand in captions as they are shown, without what still grows and translations. */
export const wordsShown = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('↳'))
    .map((line) => line.replace(/^\*\*.*?\*\*: /, '').replaceAll(/\*[^*]* …\*/g, ''))
    .flatMap((line) => line.match(/\b[a-z]\d+x\d+\b/g) ?? []);
