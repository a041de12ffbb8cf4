import { composeCompact } from '../src/autotranslate/prepare/compose-compact.ts';
import {
  composeAsAuthor,
  composeReply,
  type MirrorContent,
} from '../src/autotranslate/prepare/compose.ts';
import type { Rendition, Translated } from '../src/autotranslate/prepare/translate.ts';
import type { Message } from '../src/model/message.ts';
import { labelled, plainWords } from '../src/rich-text/compose.ts';
import { plainText } from '../src/rich-text/walk.ts';
import { languageName } from '../src/text/language/languages.ts';
import { countCodePoints } from '../src/text/unicode.ts';
import { realTexts } from '../test/fakes/texts.ts';
import { fixed } from './measure.ts';

/** Counts the characters that the bot writes for each character that people write, in every mode of auto-translate. */

/** Lines of a chat in English, Spanish and Japanese; `by` is the one that was written. */
const LINES: readonly (readonly [by: 'en' | 'es' | 'ja', en: string, es: string, ja: string])[] = [
  ['en', 'morning all', 'buenos días a todos', 'みんなおはよう'],
  [
    'es',
    'did the update come out already?',
    '¿ya salió la actualización?',
    'アップデートはもう出た？',
  ],
  ['ja', 'yes, about an hour ago', 'sí, hace como una hora', 'うん、1時間くらい前に'],
  ['en', 'mine is stuck at 97%', 'el mío está atascado en 97 %', '97%で止まってる'],
  [
    'es',
    'restart the launcher, it worked for me',
    'reinicia el launcher, a mí me funcionó',
    'ランチャーを再起動して。私はそれで直った',
  ],
  [
    'en',
    'ok that fixed it, thanks!',
    'vale, con eso se arregló, ¡gracias!',
    'それで直った、ありがとう！',
  ],
  [
    'ja',
    'who is joining the raid tonight?',
    '¿quién se apunta a la raid de esta noche?',
    '今夜のレイド、誰が来る？',
  ],
  ['en', 'count me in', 'yo me apunto', '参加するよ'],
  [
    'es',
    'me too but I’ll be 10 min late',
    'yo también, pero llego 10 min tarde',
    '私も。でも10分遅れる',
  ],
  ['ja', 'no problem', 'sin problema', '大丈夫'],
  [
    'en',
    'does anyone know if the new healer build is any good? I tried it yesterday and ran out of mana in every single fight',
    '¿alguien sabe si la nueva build de sanador sirve de algo? la probé ayer y me quedé sin maná en todas las peleas',
    '新しいヒーラーのビルドって使える？昨日試したら毎回の戦闘でマナが切れた',
  ],
  [
    'es',
    'you need the blue gems, the green ones are useless since the patch. I wrote it all down in the guide channel last week, with pictures',
    'necesitas las gemas azules, las verdes no sirven desde el parche. La semana pasada lo escribí todo en el canal de guías, con imágenes',
    '青いジェムが必要。緑はパッチ以降使えない。先週ガイドのチャンネルに画像付きで全部書いたよ',
  ],
  ['en', 'ahh ok, will look', 'ahh vale, lo miro', 'なるほど、見てみる'],
  [
    'ja',
    'Reminder: the tournament starts on Saturday at 20:00 Japan time. Teams of five, and please sign up in the events channel by Friday evening. Those who have no team yet can write there too, and we will put you together',
    'Recordatorio: el torneo empieza el sábado a las 20:00, hora de Japón. Equipos de cinco, y por favor apuntaos en el canal de eventos antes del viernes por la noche. Quien no tenga equipo puede escribir allí también y os juntamos',
    'お知らせ：大会は土曜日の日本時間20時に始まります。5人チームです。金曜の夜までにイベントのチャンネルで登録してください。チームがまだない人もそこに書いてくれれば、こちらで組み合わせます',
  ],
  ['en', 'what time is that in Spain?', '¿qué hora es eso en España?', 'スペインだと何時？'],
  ['es', '12 noon I think', 'creo que a las 12', '昼の12時だと思う'],
  ['ja', 'correct', 'correcto', 'そう'],
  [
    'en',
    'I can’t make it on Saturday, we are moving house and I won’t have internet until Tuesday at the earliest. Somebody can have my place',
    'El sábado no puedo, nos mudamos y no tendré internet hasta el martes como pronto. Alguien puede quedarse con mi sitio',
    '土曜日は無理。引っ越しで、早くても火曜までネットがない。誰か代わりに出ていいよ',
  ],
  ['es', 'good luck with the move!', '¡suerte con la mudanza!', '引っ越しがんばって！'],
  [
    'en',
    'thanks, see you all next week',
    'gracias, nos vemos la semana que viene',
    'ありがとう、また来週',
  ],
];

/** Further languages, with the length of a text in them against English. */
const FURTHER: Readonly<Record<string, number>> = {
  de: 1.15,
  fr: 1.15,
  pt: 1.08,
  it: 1.1,
  ko: 0.55,
  zh: 0.35,
  ru: 1.08,
};
const TEN = ['en', 'es', 'ja', ...Object.keys(FURTHER)];

const length = countCodePoints;
const sized = (text: string, times: number): string => {
  const wanted = Math.max(1, Math.round(length(text) * times));
  return text.repeat(Math.ceil(times)).slice(0, wanted);
};

interface Line {
  readonly by: string;
  readonly text: string;
  readonly in: (language: string) => string;
}

const read = ([by, en, es, ja]: (typeof LINES)[number]): Line => {
  const known: Readonly<Record<string, string>> = { en, es, ja };
  return { by, text: known[by] ?? en, in: (to) => known[to] ?? sized(en, FURTHER[to] ?? 1) };
};

const messageOf = (text: string): Message => ({
  ref: { channel: { space: { platform: 'discord', id: '1' }, id: '2' }, id: '3' },
  position: '3',
  author: { id: '4', name: 'Ada', kind: 'person' },
  text: plainWords(text),
  files: [],
  stickers: [],
});

const renditionOf = (line: Line, language: string): Rendition => ({
  language,
  from: line.by,
  text: plainWords(line.in(language)),
  heard: undefined,
  outcome: line.by === language ? 'same' : 'translated',
  isTranslated: line.by !== language,
});

const wording = { languages: { name: languageName }, texts: realTexts };

/** Characters that people see of what the bot posted; marks and addresses are not seen. */
const seen = (content: MirrorContent | undefined): number => {
  if (!content) return 0;
  const { as, label, content: shown } = content;
  const text = length(plainText(as ? shown.text : labelled(label, shown.text)));
  const footer = as ? length(plainText([{ kind: 'paragraph', children: label }])) : 0;
  const buttons = (shown.controls ?? []).reduce((sum, control) => sum + length(control.label), 0);
  return text + footer + (as ? length(as.name) : 0) + buttons;
};

type Mode = (line: Line, languages: readonly string[]) => number;

const translatedOf = (line: Line, languages: readonly string[]): Translated => ({
  transcript: undefined,
  renditions: languages.map((language) => renditionOf(line, language)),
  used: { characters: 0, audioMs: 0 },
  unheard: [],
  fault: undefined,
  willRetry: false,
});

const asAuthor: Mode = (line, languages) => {
  const translated = translatedOf(line, languages);
  return translated.renditions
    .filter(({ isTranslated }) => isTranslated)
    .reduce((sum, rendition) => {
      const files = { files: [], leftOut: [] };
      return (
        sum + seen(composeAsAuthor(messageOf(line.text), rendition, translated, wording, files))
      );
    }, 0);
};

const MODES: Readonly<Record<string, Mode>> = {
  reply: (line, languages) => seen(composeReply(translatedOf(line, languages), wording)),
  compact: (line, languages) =>
    seen(composeCompact(messageOf(line.text), translatedOf(line, languages), wording)),
  'thread, mirror': asAuthor,
  request: () => 0,
};

const lines = LINES.map(read);
const written = lines.reduce((sum, { text }) => sum + length(text), 0);
const ratioOf = (mode: Mode, languages: readonly string[]): string =>
  fixed(lines.reduce((sum, line) => sum + mode(line, languages), 0) / written, 2);

console.log(`\n### characters of the bot for each of people, ${lines.length} lines of chat\n`);
console.log('| mode | 1 language | 3 languages | 10 languages |\n|---|---|---|---|');
for (const [name, mode] of Object.entries(MODES))
  console.log(
    `| ${name} | ${[['en'], TEN.slice(0, 3), TEN].map((each) => ratioOf(mode, each)).join(' | ')} |`,
  );
