/** Characters that tell the ways of writing with Chinese characters apart; shared ones are left out. */
const SIMPLIFIED = new Set(
  '们这说时为过还样么发开关经进问间现见东车长门书马话语请谢让认识买卖钱给红级线练组终结统网难题预领风飞饭馆饿吗谁觉听试该谈论读课调误边远运达连选迟从动务员图团场块处备头实应张带帮师总战户报择损换据无树机权极构标检欢气汉决热烦爱状独猫环电画盘确离种称积稳简类紧绍维续绿职联脑脚脸节药获虽补装观规视览计订训议讯记讲许设访证评词详费资轻较载输错键闪闹闻阅阳阶际险随静韩页项顺须顾频额验骂骗没个会来对学国体几变业两与点',
);
const TRADITIONAL = new Set(
  '們這說時為過還樣麼發開關經進問間現見東車長門書馬話語請謝讓認識買賣錢給紅級線練組終結統網難題預領風飛飯館餓嗎誰覺聽試該談論讀課調誤邊遠運達連選遲從動務員圖團場塊處備頭實應張帶幫師總戰戶報擇損換據無樹機權極構標檢歡氣漢決熱煩愛狀獨貓環電畫盤確離種稱積穩簡類緊紹維續綠職聯腦腳臉節藥獲雖補裝觀規視覽計訂訓議訊記講許設訪證評詞詳費資輕較載輸錯鍵閃鬧聞閱陽階際險隨靜韓頁項順須顧頻額驗罵騙沒個會來對學國體幾變業兩與點',
);
const JAPANESE = new Set(
  '円駅図気広売読発経覚対応関様帰楽悪戻変実続込働畑匂桜沢浜歳剣検権験銭鉄闘駆塩釈択黒総縄両処拠毎渋絵聴脳蔵豊軽転辺雑霊顔髪丼頑',
);

export interface HanEvidence {
  readonly simplified: number;
  readonly traditional: number;
  readonly japanese: number;
}

/** Counts a text's characters that belong to only one of the three ways of writing. */
export const hanEvidence = (text: string): HanEvidence => {
  let [simplified, traditional, japanese] = [0, 0, 0];
  for (const sign of text) {
    if (JAPANESE.has(sign)) japanese += 1;
    if (SIMPLIFIED.has(sign)) simplified += 1;
    if (TRADITIONAL.has(sign)) traditional += 1;
  }
  return { simplified, traditional, japanese };
};
