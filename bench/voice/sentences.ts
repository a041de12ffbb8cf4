/** What is said in the benchmark of captions. */

export interface Sentence {
  readonly en: string;
  readonly es: string;
}

/** What Ann says, and what Ben says; in each room of another town. */
export const sentencesOf = (town: string): readonly (readonly Sentence[])[] => [
  [
    { en: `We shall meet at the station of ${town} tomorrow`, es: `Nos vemos mañana en ${town}` },
    {
      en: `The train to ${town} leaves at half past nine`,
      es: `El tren de ${town} sale a las nueve`,
    },
    { en: `My sister will wait for us in ${town}`, es: `Mi hermana nos espera en ${town}` },
    { en: `She has rented a small house near ${town}`, es: `Ha alquilado una casa en ${town}` },
    { en: `Nobody knows whether it rains in ${town} on Sunday`, es: `Quizá llueve en ${town}` },
    {
      en: `The museum of ${town} is worth a visit they say`,
      es: `El museo de ${town} merece la pena`,
    },
    { en: `We could eat in the harbour of ${town} tonight`, es: `Cenamos en el puerto de ${town}` },
    { en: `Call me when you have left ${town} again`, es: `Llámame cuando salgas de ${town}` },
  ],
  [
    { es: `Hace diez años que no he vuelto a ${town}`, en: `I have not been to ${town} for long` },
    { es: `Los mercados de ${town} abren muy temprano`, en: `The markets of ${town} open early` },
    { es: `Mi abuelo trabajó toda su vida en ${town}`, en: `My grandfather worked in ${town}` },
    { es: `Prefiero ir a ${town} en coche que en avión`, en: `I prefer to drive to ${town}` },
    { es: `En ${town} hay una librería que me gusta mucho`, en: `There is a bookshop in ${town}` },
    {
      es: `Podemos dormir en ${town} si se hace tarde`,
      en: `We can sleep in ${town} if it is late`,
    },
    { es: `La comida de ${town} es mejor que la nuestra`, en: `They cook better in ${town}` },
    {
      es: `El último autobús de ${town} sale antes de medianoche`,
      en: `The last bus of ${town} is early`,
    },
  ],
];

export const ROOMS = [
  { town: 'Lisbon', en: 'English (America)', es: 'Spanish (Spain)', gender: 'Male' },
  { town: 'Vienna', en: 'English (America)', es: 'Spanish (Spain)', gender: 'Female' },
  { town: 'Oslo', en: 'English (Great Britain)', es: 'Spanish (Latin America)', gender: 'Male' },
] as const;
/** The speakers in turn: one whose packets tell whether they are voice, one whose packets do not. */
export const SPEAKERS = [
  { name: 'Ann', language: 'en', other: 'es', kind: 'hybrid' },
  { name: 'Ben', language: 'es', other: 'en', kind: 'celt' },
] as const;
