/** What travelers type and the airport that they mean, grouped by what makes the query hard: `query > code, query > code, …` */
const table: Readonly<Record<string, string>> = {
  'codes of airports': `
    JFK > JFK, jfk > JFK, LHR > LHR, lhr > LHR, HND > HND, GRU > GRU, MUC > MUC, SIN > SIN, AAA > AAA, BER > BER,
    KTI > KTI, NMI > NMI, WSI > WSI, PKX > PKX, TFU > TFU, GOX > GOX, NLU > NLU, JFK airport > JFK, LHR Heathrow > LHR,
    London (LHR) > LHR, GOA > GOA, HUE > HUE`,
  'codes of metropolitan areas': `
    LON > LHR, lon > LHR, NYC > JFK, nyc > JFK, PAR > CDG, TYO > HND, MIL > MXP, ROM > FCO, CHI > ORD, WAS > IAD,
    MOW > SVO, BUE > EZE, SAO > GRU, RIO > GIG, SEL > ICN, OSA > KIX, BJS > PEK, STO > ARN, YTO > YYZ, YMQ > YUL,
    BUH > OTP, REK > KEF, JKT > CGK, SPK > CTS, DTT > DTW, HOU > HOU, TCI > TFS`,
  'cities in English': `
    london > LHR, London > LHR, LONDON > LHR, new york > JFK, new york city > JFK, paris > CDG, tokyo > HND, rome > FCO, milan > MXP, moscow > SVO,
    berlin > BER, munich > MUC, cologne > CGN, vienna > VIE, zurich > ZRH, geneva > GVA, brussels > BRU, amsterdam > AMS, lisbon > LIS, madrid > MAD,
    barcelona > BCN, seville > SVQ, athens > ATH, istanbul > IST, warsaw > WAW, krakow > KRK, prague > PRG, budapest > BUD, bucharest > OTP, kyiv > KBP,
    copenhagen > CPH, stockholm > ARN, gothenburg > GOT, oslo > OSL, helsinki > HEL, reykjavik > KEF, dublin > DUB, edinburgh > EDI, venice > VCE, florence > FLR,
    naples > NAP, turin > TRN, dubai > DXB, doha > DOH, tel aviv > TLV, cairo > CAI, johannesburg > JNB, cape town > CPT, nairobi > NBO, lagos > LOS,
    casablanca > CMN, marrakesh > RAK, delhi > DEL, new delhi > DEL, mumbai > BOM, bangalore > BLR, kathmandu > KTM, bangkok > BKK, hanoi > HAN, ho chi minh city > SGN,
    singapore > SIN, kuala lumpur > KUL, jakarta > CGK, manila > MNL, hong kong > HKG, shanghai > PVG, beijing > PEK, seoul > ICN, osaka > KIX, taipei > TPE,
    sydney > SYD, melbourne > MEL, auckland > AKL, los angeles > LAX, san francisco > SFO, chicago > ORD, boston > BOS, miami > MIA, seattle > SEA, las vegas > LAS,
    washington > IAD, washington dc > IAD, toronto > YYZ, montreal > YUL, vancouver > YVR, mexico city > MEX, cancun > CUN, bogota > BOG, lima > LIM, santiago > SCL,
    buenos aires > EZE, rio de janeiro > GIG, sao paulo > GRU, havana > HAV, phnom penh > KTI, siem reap > SAI, xian > XIY, chengdu > TFU, reims > RHE`,
  'one name, several cities: the likelier one': `
    birmingham > BHX, manchester > MAN, portland > PDX, san jose > SJC, valencia > VLC, newcastle > NCL, perth > PER, hamilton canada > YHM, cordoba > COR, halifax > YHZ,
    goa > GOI, hue > HUI, pau > PUF, st petersburg > LED, sidney > SYD, san juan > SJU, la paz > LPB, victoria > YYJ, melbourne florida > MLB, paris texas > PRX,
    london canada > YXU, london ontario > YXU, birmingham alabama > BHM, portland maine > PWM, santiago de compostela > SCQ, san jose costa rica > SJO, valencia spain > VLC`,
  'accents, with and without': `
    são paulo > GRU, São Paulo > GRU, SÃO PAULO > GRU, Zürich > ZRH, zuerich > ZRH, munchen > MUC, münchen > MUC, muenchen > MUC, München > MUC, koln > CGN,
    köln > CGN, koeln > CGN, dusseldorf > DUS, düsseldorf > DUS, duesseldorf > DUS, malaga > AGP, málaga > AGP, bogotá > BOG, cancún > CUN, montréal > YUL,
    québec > YQB, reykjavík > KEF, tromso > TOS, tromsø > TOS, alesund > AES, malmo > MMX, malmö > MMX, lodz > LCJ, łódź > LCJ, gdańsk > GDN,
    wroclaw > WRO, izmir > ADB, İstanbul > IST, nuremberg > NUE, nürnberg > NUE, genève > GVA, asunción > ASU, brasilia > BSB, florianópolis > FLN, ha noi > HAN`,
  'names in other languages and old names': `
    tokio > HND, moskau > SVO, moskva > SVO, londres > LHR, londra > LHR, parigi > CDG, roma > FCO, rom > FCO, mailand > MXP, milano > MXP,
    venedig > VCE, venezia > VCE, firenze > FLR, florenz > FLR, napoli > NAP, torino > TRN, genova > GOA, wien > VIE, praha > PRG, prag > PRG,
    varsovie > WAW, warszawa > WAW, krakau > KRK, københavn > CPH, kopenhagen > CPH, göteborg > GOT, lisboa > LIS, lissabon > LIS, oporto > OPO, sevilla > SVQ,
    athen > ATH, bruxelles > BRU, brüssel > BRU, antwerpen > ANR, genf > GVA, bâle > BSL, beograd > BEG, bukarest > OTP, bucuresti > OTP, kiev > KBP,
    peking > PEK, bombay > BOM, madras > MAA, calcutta > CCU, saigon > SGN, rangoon > RGN, kairo > CAI, kapstadt > CPT, nueva york > JFK, ciudad de mexico > MEX,
    la habana > HAV, mallorca > PMI, tenerife > TFS, crete > HER, bali > DPS, danzig > GDN, tiflis > TBS, leningrad > LED, Москва > SVO, 東京 > HND,
    北京 > PEK, 서울 > ICN, القاهرة > CAI, Αθήνα > ATH, Київ > KBP`,
  'names of airports': `
    heathrow > LHR, gatwick > LGW, stansted > STN, luton > LTN, london city airport > LCY, charles de gaulle > CDG, roissy > CDG, orly > ORY, schiphol > AMS, fiumicino > FCO,
    malpensa > MXP, linate > LIN, barajas > MAD, el prat > BCN, sheremetyevo > SVO, domodedovo > DME, haneda > HND, narita > NRT, kansai > KIX, incheon > ICN,
    gimpo > GMP, pudong > PVG, hongqiao > SHA, beijing daxing > PKX, changi > SIN, suvarnabhumi > BKK, don mueang > DMK, kennedy airport > JFK, john f kennedy > JFK, john f. kennedy international airport > JFK,
    la guardia > LGA, laguardia > LGA, newark > EWR, o'hare > ORD, ohare > ORD, midway > MDW, logan > BOS, dulles > IAD, reagan national > DCA, hartsfield > ATL,
    ben gurion > TLV, sabiha gokcen > SAW, hamad > DOH, pearson > YYZ, trudeau > YUL, guarulhos > GRU, congonhas > CGH, galeao > GIG, santos dumont > SDU,
    ezeiza > EZE, london heathrow > LHR, heathrow london > LHR, paris orly > ORY, tokyo narita > NRT, new york jfk > JFK, rome ciampino > CIA, dubai international > DXB, frankfurt airport > FRA, harry reid > LAS`,
  countries: `
    united kingdom > LHR, United Kingdom > LHR, uk > LHR, great britain > LHR, germany > FRA, france > CDG, spain > MAD, italy > FCO, portugal > LIS, netherlands > AMS,
    the netherlands > AMS, holland > AMS, japan > HND, china > PVG, india > DEL, brazil > GRU, united states > ATL, usa > ATL, united arab emirates > DXB, uae > DXB,
    turkey > IST, türkiye > IST, switzerland > ZRH, austria > VIE, poland > WAW, czech republic > PRG, czechia > PRG, south korea > ICN, new zealand > AKL, australia > SYD,
    mexico > MEX, thailand > BKK, vietnam > SGN, indonesia > CGK, egypt > CAI, kenya > NBO, south africa > JNB, ivory coast > ABJ, lebanon > BEY, jordan > AMM, liberia > ROB,
    deutschland > FRA, royaume-uni > LHR, españa > MAD, iceland > KEF, airports in germany > FRA`,
  'states, provinces, islands': `
    california > LAX, florida > MCO, texas > DFW, hawaii > HNL, scotland > EDI, england > LHR, bavaria > MUC, catalonia > BCN, sicily > CTA, corsica > AJA,
    queensland > BNE, maui > OGG, gran canaria > LPA, madeira > FNC, azores > PDL`,
  'the beginning of a name': `
    lond > LHR, amster > AMS, barcel > BCN, frankf > FRA, san fran > SFO, san fr > SFO, los ang > LAX, new yor > JFK, kuala l > KUL, singap > SIN,
    johannes > JNB, stockh > ARN, united king > LHR, hamburg air > HAM, buenos a > EZE`,
  'ICAO codes': `
    EGLL > LHR, KDEN > DEN, EDDM > MUC, KJFK > JFK, KLAX > LAX, LFPG > CDG, EDDF > FRA, EHAM > AMS, LEMD > MAD, LIRF > FCO, LIRA > CIA, LIME > BGY,
    LSZH > ZRH, LOWW > VIE, EKCH > CPH, ESSA > ARN, ENGM > OSL, EFHK > HEL, EPWA > WAW, LKPR > PRG, LHBP > BUD, LGAV > ATH, LTFM > IST, LLBG > TLV,
    OMDB > DXB, OTHH > DOH, OERK > RUH, HECA > CAI, FACT > CPT, VIDP > DEL, VABB > BOM, VTBS > BKK, WSSS > SIN, VHHH > HKG, ZBAA > PEK, RJTT > HND,
    RKSI > ICN, YSSY > SYD, NZAA > AKL, CYYZ > YYZ, MMMX > MEX, SBGR > GRU, SAEZ > EZE, PANC > ANC, PHNL > HNL, UCFM > BSZ, UACC > NQZ, VDTI > KTI,
    egll > LHR, kden > DEN, eddm > MUC, lszh > ZRH, EGLL Heathrow > LHR, London (EGKK) > LGW, airport KSFO > SFO, LIMA > LIM, ROME > FCO, PERU > LIM, CUBA > HAV`,
  'Saint, Mount and Fort, written out and short': `
    St Tropez > LTT, Saint-Tropez > LTT, St. Tropez > LTT, Saint Gallen > ACH, St Gallen > ACH, St. Gallen > ACH, Sankt Gallen > ACH, St Moritz > SMV, Saint Moritz > SMV,
    Mt Gambier > MGB, Mount Gambier > MGB, Mt. Gambier > MGB, Mt Hagen > HGU, Mount Hagen > HGU, Mt Isa > ISA, Mount Isa > ISA, Mt Cook > MON, Mount Cook > MON,
    Ft Myers > RSW, Fort Myers > RSW, Ft. Myers > RSW, Ft Lauderdale > FLL, Fort Lauderdale > FLL, Ft Worth > DFW, Ft Wayne > FWA, Fort Wayne > FWA, Ft Smith > FSM, Ft McMurray > YMM,
    St Louis > STL, Saint Louis > STL, St. Louis > STL, Saint Petersburg > LED, St Petersburg > LED, Saint Johns > YYT, St John's > YYT, Saint Lucia > UVF, St Lucia > UVF,
    Saint Kitts > SKB, St Kitts > SKB, St Maarten > SXM, Saint Thomas > STT, St Thomas > STT, Saint Croix > STX, Saint Helena > HLE, St Helena > HLE, Saint George > SGU,
    Ft St John > YXJ, Fort Saint John > YXJ, Ft. St. John > YXJ, Sta. Marta > SMR, Sto Domingo > SDQ, Sta Cruz de la Sierra > VVI`,
  'names in their own scripts': `
    กรุงเทพ > BKK, เชียงใหม่ > CNX, ภูเก็ต > HKT, דובאי > DXB, תל אביב > TLV, אילת > ETM, لندن > LHR, دبي > DXB, جدة > JED, مراكش > RAK,
    شرم الشيخ > SSH, الدوحة > DOH, 上海 > PVG, 深圳 > SZX, 廣州 > CAN, 武汉 > WUH, 成都 > TFU, 香港 > HKG, 台北 > TPE, 臺北 > TPE,
    大阪 > KIX, 福岡 > FUK, 札幌 > CTS, 那覇 > OKA, 広島 > HIJ, 仁川 > ICN, 부산 > PUS, 제주 > CJU, 뉴욕 > JFK, 파리 > CDG,
    ロンドン > LHR, ミュンヘン > MUC, バルセロナ > BCN, 旧金山 > SFO, 洛杉矶 > LAX, 拉斯维加斯 > LAS, दिल्ली > DEL, मुंबई > BOM, बेंगलुरु > BLR, சென்னை > MAA,
    హైదరాబాద్ > HYD, ঢাকা > DAC, কলকাতা > CCU, काठमाडौँ > KTM, Θεσσαλονίκη > SKG, Ρόδος > RHO, Львів > LWO, Казань > KZN, Сочи > AER, София > SOF,
    Скопје > SKP, თბილისი > TBS, ბათუმი > BUS, Երևան > EVN, تهران > IKA, کابل > KBL, کراچی > KHI, ភ្នំពេញ > KTI, ວຽງຈັນ > VTE, ရန်ကုန် > RGN`,
  'words for an airport in many languages': `
    aeropuerto de Madrid > MAD, aéroport de Nice > NCE, Aeroporto di Roma > FCO, Flughafen München > MUC, Flugplatz Mannheim > MHG, lotnisko Kraków > KRK, Letiště Praha > PRG,
    Budapest repülőtér > BUD, luchthaven Brussel > BRU, vliegveld Eindhoven > EIN, Göteborg flygplats > GOT, Oslo lufthavn > OSL, Helsinki lentoasema > HEL,
    İstanbul Havalimanı > IST, İstanbul havaalanı > IST, аэропорт Шереметьево > SVO, Київ аеропорт > KBP, летище София > SOF, Аеродром Никола Тесла > BEG, Zračna luka Zagreb > ZAG,
    Letališče Ljubljana > LJU, Aeroportul Otopeni > OTP, αεροδρόμιο Θεσσαλονίκη > SKG, مطار دبي > DXB, مطار القاهرة الدولي > CAI, נמל התעופה בן גוריון > TLV, שדה התעופה תל אביב > TLV,
    दिल्ली हवाई अड्डा > DEL, สนามบินสุวรรณภูมิ > BKK, ท่าอากาศยานเชียงใหม่ > CNX, 北京首都国际机场 > PEK, 北京机场 > PEK, 上海浦东机场 > PVG, 上海虹桥 > SHA, 羽田空港 > HND,
    成田国際空港 > NRT, 大阪 関空 > KIX, 東京国際空港 > HND, 台北市 > TPE, 台灣桃園國際機場 > TPE, 香港国际机场 > HKG, 인천국제공항 > ICN, 제주공항 > CJU, 서울시 > ICN,
    Sân bay Nội Bài > HAN, Bandara Ngurah Rai > DPS, Heathrow T5 > LHR, JFK Terminal 4 > JFK, any airport in London > LHR, IATA LHR > LHR, New York (NYC) > JFK`,
  'codes of states and countries after a city': `
    Portland| ME > PWM, Portland ME > PWM, Portland| OR > PDX, portland| me > PWM, Birmingham| AL > BHM, Melbourne| FL > MLB, Columbus| GA > CSG, Springfield| IL > SPI,
    Charleston WV > CRW, Manchester NH > MHT, Rochester| MN > RST, Paris TX > PRX, London| ON > YXU, Sydney| NSW > SYD, Sydney| NS > YQY, Perth| WA > PER, St John NB > YSJ, Rome| IT > FCO,
    Rome| GA > RMG, San Jose| CR > SJO, San Jose| CA > SJC, San Francisco| CA| USA > SFO, Valencia| VE > VLN, London GB > LHR, Cincinnati| OH > CVG, Kansas City| KS > MCI, Washington| DC > IAD, New York| NY > JFK`,
  'countries in their own languages': `
    Ελλάδα > ATH, ישראל > TLV, ประเทศไทย > BKK, भारत > DEL, 대한민국 > ICN, 한국 > ICN, 臺灣 > TPE, 中國 > PVG, Україна > KBP, Österreich > VIE, Suomi > HEL, Inglaterra > LHR`,
  'new codes and new airports': `
    bishkek > BSZ, BSZ > BSZ, chisinau > RMO, RMO > RMO, astana > NQZ, dakar > DSS, ulaanbaatar > UBN, medan > KNO, adana > COV, rajkot > HSR, noida > DXN, phnom penh > KTI`,
  typos: `
    londn > LHR, lodnon > LHR, londno > LHR, pariss > CDG, berln > BER, amsterdan > AMS, amstrdam > AMS, barcelna > BCN, barcelonna > BCN, madird > MAD,
    lisobn > LIS, viena > VIE, budapset > BUD, istambul > IST, instanbul > IST, dubay > DXB, bangkock > BKK, singapoor > SIN, hong knog > HKG, new yrok > JFK,
    newyork > JFK, los angelos > LAX, losangeles > LAX, san fransisco > SFO, sanfransisco > SFO, chigaco > ORD, bostom > BOS, seatle > SEA, las vagas > LAS, vancuver > YVR,
    torronto > YYZ, monreal > YUL, sao paolo > GRU, rio de janiero > GIG, buenos aries > EZE, bogata > BOG, sidny > SYD, melborne > MEL, jakatra > CGK, dehli > DEL,
    mumbay > BOM, copenhaguen > CPH, stokholm > ARN, helsinky > HEL, edinburg airport scotland > EDI, heatrow > LHR, hethrow > LHR, gatwik > LGW, shipol > AMS, united kingdon > LHR,
    germny > FRA, switzerlnd > ZRH, reykjavk > KEF, johanesburg > JNB, cassablanca > CMN, philadelfia > PHL, frankfrut > FRA, dusseldorff > DUS, nairoby > NBO, kualalumpur > KUL`,
};

export interface Query {
  readonly kind: string;
  readonly query: string;
  readonly first: string;
}

export const queries: readonly Query[] = Object.entries(table).flatMap(([kind, lines]) =>
  lines
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [query = '', first = ''] = entry.split(' > ');
      // A comma separates entries, so `|` is one.
      return { kind, query: query.replaceAll('|', ','), first };
    }),
);
