//! Forms of characters that differ in width only: full-width ASCII to plain, half-width Katakana to full, with the marks
//! of voicing that follow them put in.

const VOICED: char = '\u{ff9e}';
const SEMI_VOICED: char = '\u{ff9f}';

/// The Katakana of the half-width block, from U+FF65 on.
const KATAKANA: [char; 59] = [
    '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー', 'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ',
    'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ', 'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ',
    'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ', 'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン',
    '\u{3099}', '\u{309a}',
];

pub(crate) fn width(text: &mut String) {
    if text.is_ascii() {
        return;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let voiced = match c {
            VOICED => out.chars().next_back().and_then(voice),
            SEMI_VOICED => out.chars().next_back().and_then(semi_voice),
            _ => None,
        };
        if let Some(voiced) = voiced {
            out.pop();
            out.push(voiced);
            continue;
        }
        out.push(match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '\u{ff65}'..='\u{ff9f}' => KATAKANA[(u32::from(c) - 0xff65) as usize],
            c => c,
        });
    }
    *text = out;
}

fn voice(c: char) -> Option<char> {
    match c {
        'ウ' => Some('ヴ'),
        'ワ' | 'ヰ' | 'ヱ' | 'ヲ' => char::from_u32(u32::from(c) + 8),
        'ヽ' => Some('ヾ'),
        'カ' | 'キ' | 'ク' | 'ケ' | 'コ' | 'サ' | 'シ' | 'ス' | 'セ' | 'ソ' | 'タ' | 'チ' | 'ツ' | 'テ' | 'ト'
        | 'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ' => char::from_u32(u32::from(c) + 1),
        _ => None,
    }
}

fn semi_voice(c: char) -> Option<char> {
    match c {
        'ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ' => char::from_u32(u32::from(c) + 2),
        _ => None,
    }
}
