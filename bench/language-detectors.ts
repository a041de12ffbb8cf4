/** A detector of languages as the benchmark calls it. */
export interface Detector {
  /** Detects a text's language, `und` for none, with a confidence from 0 to 1. */
  readonly detect: (text: string) => { readonly language: string; readonly confidence: number };
}

const NOTHING = { language: 'und', confidence: 1 };

/** Codes of the libraries that are written otherwise here. */
const RENAMED: Readonly<Record<string, string>> = {
  iw: 'he',
  fil: 'tl',
  nb: 'no',
  nn: 'no',
  ms: 'id',
};
const codeOf = (code: string): string => {
  const plain = code.replace(/-Latn$/, '');
  return RENAMED[plain] ?? plain;
};

/** Loads each detector: ours, and the libraries beside which it is measured. */
export const DETECTORS: Readonly<Record<string, () => Promise<Detector>>> = {
  Dragoman: async () => {
    const { rankLanguages } = await import('../src/text/language/detect.ts');
    return { detect: (text) => rankLanguages(text)[0] ?? NOTHING };
  },
  'eld large': async () => {
    const { eld } = await import('eld/large');
    return {
      detect: (text) => {
        const found = eld.detect(text);
        const confidence = found.getScores()[found.language] ?? 0;
        return found.language === '' ? NOTHING : { language: codeOf(found.language), confidence };
      },
    };
  },
  tinyld: async () => {
    const { detectAll } = await import('tinyld');
    return {
      detect: (text) => {
        const [best] = detectAll(text);
        return best ? { language: codeOf(best.lang), confidence: best.accuracy } : NOTHING;
      },
    };
  },
  CLD3: async () => {
    const { loadModule } = await import('cld3-asm');
    const identifier = (await loadModule()).create(0, 1_000);
    return {
      detect: (text) => {
        const { language, probability } = identifier.findLanguage(text.toWellFormed());
        return { language: codeOf(language), confidence: probability };
      },
    };
  },
};
