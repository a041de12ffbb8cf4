/** What is said, written and translated in the moving picture. */
export const CHANNELS = { voice: 'raid', english: 'english', spanish: 'español' } as const;

interface Spoken {
  readonly name: string;
  readonly language: string;
  readonly text: string;
}

export const SPOKEN: readonly Spoken[] = [
  { name: 'Mia', language: 'en', text: 'The dragon wakes up in five minutes. Any potions?' },
  { name: 'Luis', language: 'es', text: 'Yo las llevo. Nos vemos todos delante de la puerta.' },
];

export const INVITATION =
  'Raid tonight at **20:00**. Bring `ice-staff`, map: https://example.org/map';
export const LATER = INVITATION.replace('20:00', '21:00');
export const QUESTION = '¿Puede venir mi hermana? Es su primera vez.';

/** Translations, which stand for those of an engine; `⟦1⟧` is what may not be translated. */
const TRANSLATIONS: Readonly<Record<string, string>> = {
  'The dragon wakes up in five minutes. Any potions?':
    'El dragón despierta en 5 minutos. ¿Hay pociones?',
  'Yo las llevo. Nos vemos todos delante de la puerta.':
    'I have them. See you all in front of the gate.',
  'Raid tonight at ⟦1⟧20:00⟦2⟧. Bring ⟦3⟧, map: ⟦4⟧':
    'Incursión esta noche a las ⟦1⟧20:00⟦2⟧. Trae ⟦3⟧, mapa: ⟦4⟧',
  'Raid tonight at ⟦1⟧21:00⟦2⟧. Bring ⟦3⟧, map: ⟦4⟧':
    'Incursión esta noche a las ⟦1⟧21:00⟦2⟧. Trae ⟦3⟧, mapa: ⟦4⟧',
  [QUESTION]: 'Can my sister come? It’s her first time.',
};

export const translate = (text: string): string => {
  const found = TRANSLATIONS[text];
  if (found === undefined) throw new Error(`there is no translation of: ${text}`);
  return found;
};
