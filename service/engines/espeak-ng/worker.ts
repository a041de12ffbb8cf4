import { serveParent } from '../../../src/process/child.ts';
import { isPackageInstalled } from '../../engine.ts';
import { hasKanji, KANA_PACKAGE, loadKanaReader } from './kana.ts';
import { loadEspeak, type EspeakVoice, isJapanese } from './voices.ts';

export type EspeakRequest =
  | { readonly kind: 'voices' }
  | { readonly kind: 'speak'; readonly voice: string; readonly markup: string };

export type EspeakReply =
  | { readonly voices: readonly EspeakVoice[] }
  | { readonly sampleRateHz: number; readonly chunks: readonly Int16Array[] };

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
  const chunks: Int16Array[] = [];
  espeak.synthesize(readable(request.markup, request.voice), (chunk) => {
    if (chunk.length > 0) chunks.push(chunk);
    return false;
  });
  // A part without sound is a part that was spoken, too.
  if (chunks.length === 0) chunks.push(new Int16Array());
  return { sampleRateHz: espeak.get_samplerate(), chunks };
});
