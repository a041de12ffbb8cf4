import { describe, expect, it } from 'vitest';
import {
  judgeBeginning,
  judgeTranslation,
  translationSoFar,
} from '../../../../src/text/reply/translation-reply.ts';

const task = (source: string, from = 'en', to = 'es') => ({ source, from, to });
const textOf = (source: string, reply: string, from?: string, to?: string) =>
  judgeTranslation(task(source, from, to), reply).text;
const faultOf = (source: string, reply: string, from?: string, to?: string) =>
  judgeTranslation(task(source, from, to), reply).fault;

describe('what an engine puts around a translation', () => {
  it.each([
    ['Hello', '"Hola"', 'Hola'],
    ['Hello', '“Hola”', 'Hola'],
    ['Hello', '«Hola»', 'Hola'],
    ['Hello', '「こんにちは」', 'こんにちは'],
    ['Hello', '<think>The user wants Spanish.\n</think>\n\nHola', 'Hola'],
    ['Hello', 'The user wants Spanish.</think>Hola', 'Hola'],
    ['Hello', '<reasoning>Easy.</reasoning>Hola', 'Hola'],
    ['Hello', 'Sure! Here is the translation:\n\nHola', 'Hola'],
    ['Hello', "Certainly. Here's your translated text: Hola", 'Hola'],
    ['Hello', 'Translation: Hola', 'Hola'],
    ['Hello', '**Translation:** Hola', 'Hola'],
    ['Hello', 'Aquí tienes la traducción:\n"Hola"', 'Hola'],
    ['Hello', 'Hier ist die Übersetzung: Hallo', 'Hallo'],
    ['Hello', '以下是翻译：\n你好', '你好'],
    ['Hello', '翻訳：こんにちは', 'こんにちは'],
    ['Hello', 'Of course!\nHola', 'Hola'],
    ['Hello', 'Sure! Here is your text in Spanish:\n\nHola', 'Hola'],
    ['Hello', 'Here’s the message in Spanish: "Hola"', 'Hola'],
    ['Hello', 'Here you go:\nHola', 'Hola'],
    ['Hello', 'Here it is in Spanish:\nHola', 'Hola'],
    ['Hello', 'Hola\n\nLet me know if you need anything else!', 'Hola'],
    ['Hello.', 'Hola. I hope this helps!', 'Hola.'],
    ['Hello', 'Hola\n\nNote: informal.\n\nIs there anything else I can help you with?', 'Hola'],
    ['Hello', 'Hola\n\n¡Espero que te ayude!', 'Hola'],
    ['Hello', 'Hola\n\n(Note: this is the informal form.)', 'Hola'],
    ['A\n\nNote: b', 'A\n\nNota: b\n\nNote: c is left out.', 'A\n\nNota: b'],
    ['Tom & Jerry', 'Tom &amp; Jerry', 'Tom & Jerry'],
    [
      'It’s 5 < 6',
      'Son 5 &lt; 6, &quot;s&iacute;&quot; &#39;x&#x27;',
      'Son 5 < 6, "s&iacute;" \'x\'',
    ],
  ])('is removed: %j → %j', (source, reply, expected) => {
    expect(textOf(source, reply)).toBe(expected);
  });

  it.each([
    ['“Hello”', '“Hola”'],
    ['"Go", he said', '"Ve", dijo'],
    ['He said "go" and "stay"', '"Ve" y "quédate", dijo'],
    ['Sure!\nSee you', '¡Claro!\nNos vemos'],
    ['Translation: hello', 'Traducción: hola'],
    ['Of course!\nComing', 'Of course!\nVoy'],
    ['Fordítás: szia', 'Translation: hi'],
    ['Here it is: done', 'Aquí está: hecho'],
    ['At 5:30', 'A las 5:30'],
    ['Voici le texte – bonjour', 'Here is the text: hi'],
    ['Das Haus, das ich baue', 'Here is the house: mine'],
    ['Use &amp; in HTML', 'Usa &amp; en HTML'],
    ['First\n\nNote: bring water', 'Primero\n\nNota: traed agua'],
    ['Hi.\nLet me know if you can come.', 'Hola.\n\nAvísame si puedes venir.'],
    ['I hope this helps!', '¡Espero que esto ayude!'],
    ['The <think> tag', 'La etiqueta <think>'],
    ['a < b', 'a < b'],
    ["'tis", "'tis"],
    ['”Hej”', '"Hola"'],
    ['»Hallo«', '"Hola"'],
    ['Erstens\n\nAnmerkung: bring Wasser mit', 'Primero\n\nNota: trae agua'],
    ['Write </think> there', 'Escribe </think> ahí'],
  ])('is no part of the text itself: %j → %j', (source, reply) => {
    expect(textOf(source, reply)).toBe(reply);
  });
});

describe('a reply that is no translation', () => {
  it.each(['', ' \n', '\u200B\u00AD', '<think>hm</think>', '<think>for ever', '"​"'])(
    'has no words: %j',
    (reply) => {
      expect(faultOf('Hello', reply)).toMatch(/blank|thinking/);
    },
  );

  it.each([
    ['en', 'es', 18, 200_000],
    ['en', 'es', 18, 400],
    ['es', 'zh', 100, 500],
    ['zh', 'en', 100, 2_000],
  ])('is many times longer than the text: %s → %s, %i → %i', (from, to, source, reply) => {
    expect(faultOf('x'.repeat(source), 'y'.repeat(reply), from, to)).toBe('too long');
  });

  it.each([
    ['brb', 'Ahora mismo vuelvo, dame un momento, por favor', 'en', 'es'],
    ['春眠不覚暁', 'Sleeping in spring, one does not notice the dawn', 'ja', 'en'],
    ['加油', 'Keep it up! You can do it! Go, go, go!', 'zh', 'en'],
    ['한국어 문장입니다', 'This is a sentence in the Korean language', 'ko-KR', 'en-GB'],
    ['Donaudampfschifffahrtsgesellschaft', 'the company for steamships on the Danube', 'de', 'en'],
  ])('is not one that is a little longer: %j → %j', (source, reply, from, to) => {
    expect(textOf(source, reply, from, to)).toBe(reply);
  });

  it('is not a word whose letters are repeated less', () => {
    expect(textOf(`N${'o'.repeat(150)}`, 'Nooo')).toBe('Nooo');
  });

  it.each([
    "I'm sorry, but I can't help with that.",
    'I cannot translate this text as it contains offensive content.',
    'As an AI language model, I do not translate that.',
    'Sorry, I am unable to translate the message.',
    'Lo siento, pero no puedo traducir este texto.',
    '申し訳ありませんが、翻訳できません。',
    '抱歉，我无法翻译该内容。',
    'Es tut mir leid, das kann ich nicht übersetzen.',
  ])('is a refusal: %j', (reply) => {
    expect(faultOf('You absolute idiot', reply)).toBe('a refusal');
  });

  it('is a refusal in a language that nobody asked for', () => {
    const reply = "I'm sorry, but I can't help with that.";
    expect(faultOf("I can't stand you, sorry", reply, 'en', 'es')).toBe('a refusal');
    expect(faultOf(reply, reply, 'en', 'es')).toBe('the text itself');
  });

  it.each([
    ['Lo siento, no puedo ayudarte', "I'm sorry, I can't help you", 'es', 'en'],
    ['すみません、行けません', 'Sorry, I am not able to go', 'ja', 'en'],
    ['Sorry, I cannot translate this', 'Lo siento, no puedo traducir esto', 'en', 'es'],
    ['Ich bin müde', "I'm sore and tired", 'de', 'en'],
    ['No puedo ayudar con eso', "I can't help with that.", 'es', 'en'],
    ['Ich kann dir heute leider nicht helfen', "I can't help you today", 'de', 'en'],
    ['Je ne peux pas vous aider', "I'm sorry, I can't help you", 'fr', 'en'],
    ['手伝えません、できないです', "I can't help you, I'm not able to", 'ja', 'en'],
    ['我帮不了你', "I can't help you", 'zh', 'en'],
    ['도와줄 수 없어', "I can't help you", 'ko', 'en'],
    ['Я не могу помочь', "I can't help", 'ru', 'en'],
    ["I can't make it", 'Desculpe, não posso ajudar', 'en', 'pt'],
    ['En voi auttaa sinua', "I can't help you", 'fi', 'en'],
    ['Nemůžu ti pomoct', "I can't help you", 'cs', 'en'],
    ['Nu te pot ajuta', "I can't help you", 'ro', 'en'],
    ['Δεν μπορώ να βοηθήσω', "I can't help", 'el', 'en'],
    ['אני לא יכול לעזור', "I can't help", 'he', 'en'],
    ['Ne mogu pomoći', "I can't help", 'hr', 'en'],
  ])('is not one who is sorry: %j → %j', (source, reply, from, to) => {
    expect(textOf(source, reply, from, to)).toBe(reply);
  });
});

describe('a reply that grows', () => {
  it.each([
    ['Hola', ['Hola']],
    ['<think>hm, so</think>\nHola amigo', ['Hola', 'Hola amigo']],
    ['Sure! Here is the translation:\n\nHola amigo', ['Hola', 'Hola amigo']],
    ['Tom &amp; Jerry', ['Tom & Jerry']],
  ])('shows only its translation: %j', (reply, expected) => {
    const seen = Array.from(reply, (_, index) =>
      translationSoFar(task('Hello friend'), reply.slice(0, index + 1)),
    );
    for (const state of seen) expect(state).not.toMatch(/think|hm|Sure|Here|transl/i);
    for (const state of expected) expect(seen).toContain(state);
  });

  it('shows nothing of a refusal', () => {
    const reply = "I'm sorry, but I can't help with that, as it would hurt many people's feelings.";
    const source = `Du Vollidiot. ${'Wir sehen uns morgen alle wieder. '.repeat(6)}`;
    for (const to of ['en', 'es', 'zh']) {
      const judged = Array.from(reply, (_, index) =>
        judgeBeginning(task(source, 'de', to), reply.slice(0, index + 1)),
      );
      expect(judged.map((each) => each?.text)).toEqual(judged.map(() => undefined));
      expect(judged.at(-1)?.fault).toBe('a refusal');
    }
  });

  it('only ever grows, whatever its pieces are', () => {
    const source = `Tom & Jerry are my friends, I love them both, and we meet each day at five 😀 <3. ${'They are always late, and nobody minds. '.repeat(3)}`;
    const reply = `Sure! Here is the translation:\n\nTom &amp; Jerry son mis amigos, los quiero a los dos, y nos vemos cada día a las cinco de la tarde &#x1F600; <3. ${'Siempre llegan tarde, y a nadie le importa. '.repeat(3)}`;
    let shown = '';
    for (let end = 0; end <= reply.length; end += 1) {
      const { text = shown } = judgeBeginning(task(source), reply.slice(0, end)) ?? {};
      expect(text.startsWith(shown)).toBe(true);
      shown = text;
    }
    expect(shown).toMatch(/^Tom & Jerry .* 😀/u);
  });

  it('shows no half of a character, mark or entity', () => {
    for (const part of ['<|im_', '</thi', '&am', '\uD83D', '['])
      expect(translationSoFar(task('Hello'), `Hola ${part}`)).toBe('Hola ');
  });

  it('is not read to its end when it thinks for ever', () => {
    const reply = `<think>${'hm '.repeat(20_000)}`;
    expect(judgeBeginning(task('Hello'), reply)?.fault).toBe('too long');
    expect(faultOf('Hello', reply)).toBe('too long');
  });

  it('shows what the text itself begins with', () => {
    expect(translationSoFar(task('Lo siento', 'es', 'en'), "I'm sorry, but")).toBe(
      "I'm sorry, but",
    );
    expect(translationSoFar(task('Sure, friend', 'en', 'fr'), 'Sur')).toBe('Sur');
    expect(translationSoFar(task('Sure thing', 'en', 'en'), 'Sure th')).toBe('Sure th');
  });
});
