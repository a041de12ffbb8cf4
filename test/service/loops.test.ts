import { describe, expect, it } from 'vitest';
import { isLoop } from '../../service/loops.ts';

const SENTENCES = {
  English:
    'The quick brown fox jumps over the lazy dog while seven hungry wolves wait behind the old stone wall, and nobody in the village knows why the bells rang three times last night.',
  Hindi:
    'आज सुबह मैं अपने दोस्त के साथ बाज़ार गया और हमने ताज़ी सब्ज़ियाँ और कुछ फल खरीदे। फिर हम नदी के किनारे बैठे और देर तक बातें करते रहे, क्योंकि मौसम बहुत अच्छा था और हवा ठंडी चल रही थी। शाम को घर लौटते समय बारिश होने लगी, इसलिए हमने एक पुराने पेड़ के नीचे खड़े होकर इंतज़ार किया।',
  Tamil:
    'இன்று காலை நான் என் நண்பருடன் சந்தைக்குச் சென்று புதிய காய்கறிகளை வாங்கினேன். பிறகு நாங்கள் ஆற்றங்கரையில் அமர்ந்து நீண்ட நேரம் பேசிக்கொண்டிருந்தோம். மாலையில் வீடு திரும்பும்போது மழை பெய்யத் தொடங்கியது, எனவே ஒரு பழைய மரத்தின் கீழ் காத்திருந்தோம்.',
  Chinese:
    '秋天总是那么富有诗意。树叶渐渐变红，街道旁的银杏树也开始落叶。人们穿上厚重的外套，享受着凉爽的秋风。',
  nothing: '',
  'a word twice': 'Bye bye.',
};

describe('a loop', () => {
  it.each(Object.entries(SENTENCES))('is not %s', (_, text) => {
    expect(isLoop(text)).toBe(false);
  });

  it.each([
    "I'm sorry ".repeat(12),
    '8-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1',
    'धन्यवाद। '.repeat(20),
    '谢谢观看。'.repeat(20),
  ])('is %s', (text) => {
    expect(isLoop(text)).toBe(true);
  });

  it('is what a recogniser says it is, for the script of the text', () => {
    expect(isLoop(SENTENCES.English, 2.5)).toBe(true);
    expect(isLoop(SENTENCES.Tamil, 2.6)).toBe(false);
    expect(isLoop(SENTENCES.Tamil, 6)).toBe(true);
  });
});
