import { serveParent } from '../../../src/process/serve-parent.ts';
import { isPackageInstalled } from '../../engine.ts';
import { hasKanji, KANA_PACKAGE, loadKanaReader } from './kana.ts';
import { loadEspeak, type EspeakVoice, isJapanese } from './voices.ts';

export type EspeakRequest =
  | { readonly kind: 'voices' }
  | {
      readonly kind: 'speak';
      readonly voice: string;
      readonly markup: string;
      readonly speed: number;
    };

export type EspeakReply =
  | { readonly voices: readonly EspeakVoice[] }
  /** Samples as `pcm_s16le`. */
  | { readonly sampleRateHz: number; readonly pcm: Uint8Array };

/** The library's rate for every voice. */
const USUAL_WORDS_PER_MINUTE = 175;

const loading = loadEspeak();

const readsKanji = isPackageInstalled(KANA_PACKAGE);
let inKana: ReturnType<typeof loadKanaReader> | undefined;

/** The text as the voice can read it: the Japanese one knows no kanji. */
const readable = (markup: string, voice: string): string => {
  if (!readsKanji || !isJapanese(voice) || !hasKanji(markup)) return markup;
  inKana ??= loadKanaReader();
  return inKana(markup);
};

serveParent(async (request: EspeakRequest): Promise<EspeakReply> => {
  const espeak = await loading;
  if (request.kind === 'voices') return { voices: espeak.list_voices() };
  espeak.set_voice(request.voice, '', 0, 0, 0);
  espeak.set_rate(Math.round(USUAL_WORDS_PER_MINUTE * request.speed));
  const chunks: Uint8Array[] = [];
  espeak.synthesize(readable(request.markup, request.voice), (chunk) => {
    chunks.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    return false;
  });
  return { sampleRateHz: espeak.get_samplerate(), pcm: Buffer.concat(chunks) };
});
