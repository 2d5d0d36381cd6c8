use super::*;
use crate::json;

const SAMPLES: &[&str] = &[
    "",
    "Other",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9_2) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.149 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 12_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0",
    "Mozilla/5.0 (Linux; Android 7.0; SM-G930V Build/NRD90M) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/59.0.3071.125 Mobile Safari/537.36",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "curl/7.64.1",
    "Dalvik/2.1.0 (Linux; U; Android 9; HTC U11 Build/PQ2A.190205.003)",
    "Mozilla/5.0 (SMART-TV; Linux; Tizen 2.4.0) AppleWebkit/538.1 (KHTML, like Gecko) SamsungBrowser/1.1 TV Safari/538.1",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10",
    "Seznam prohlížeč \u{0}\u{feff} <script>",
];

fn built_in() -> Arc<Patterns> {
    patterns(BUILT_IN).unwrap()
}

#[test]
fn texts_are_taken_apart_as_without_a_look_at_needles() {
    let lists = built_in();
    for agent in SAMPLES {
        let slowly = |list: &[Pattern]| list.iter().find_map(|pattern| pattern.find_slowly(agent));
        let expected = Details {
            program: slowly(&lists.programs),
            system: slowly(&lists.systems),
            device: slowly(&lists.devices),
        };
        assert_eq!(*lists.parse(agent).unwrap(), expected, "{agent}");
    }
}

#[test]
fn what_browsers_say() {
    let told = |agent: &str| {
        let details = built_in().parse(agent).unwrap();
        let text = |found: &Option<Versioned>| {
            let found = found.as_ref()?;
            Some(format!("{} {}", found.name, found.full_version().unwrap_or_default()).trim().to_owned())
        };
        [text(&details.program), text(&details.system), text(&details.device)].map(Option::unwrap_or_default)
    };
    assert_eq!(told(SAMPLES[2]), ["Chrome 33.0.1750.149", "Mac OS X 10.9.2", "Mac"]);
    assert_eq!(told(SAMPLES[3]), ["Mobile Safari 12.1.2", "iOS 12.4.1", "iPhone"]);
    assert_eq!(told("nothing"), ["", "", ""]);
}

#[test]
fn long_texts_are_refused() {
    assert!(built_in().parse(&"x".repeat(AGENT_BYTES_MAX)).is_ok());
    let reason = built_in().parse(&"x".repeat(AGENT_BYTES_MAX + 1)).unwrap_err();
    assert_eq!(reason.reason(), "a user agent may have at most [8192] bytes, not [8193]");
}

#[test]
fn files_of_one_s_own() {
    let read = |text: &str| Patterns::from_value(&json::parse(text.as_bytes()).unwrap());
    let lists = read(
        r#"{"user_agent_parsers": [
              {"regex": "(my|your)-tool/(\\d+)", "family_replacement": "Tool of $1 and $1", "v2_replacement": 7},
              {"regex": "no(?!t)name"}, {"regex": "I AM (\\w+)", "regex_flag": "i"}], "others": 5}"#,
    );
    let lists = Arc::new(lists.unwrap());
    let program = |agent: &str| lists.parse(agent).unwrap().program.clone();
    let found = program("x your-tool/12").unwrap();
    assert_eq!((found.name.as_str(), found.full_version().as_deref()), ("Tool of your and $1", Some("12.7")));
    // Nothing gives it a name.
    assert_eq!(program("noname"), None);
    assert_eq!(program("i am Me").unwrap().name, "Me");
    let reason = |text: &str| read(text).unwrap_err().reason().to_owned();
    assert_eq!(reason("{}"), "not a valid regular expression file");
    assert_eq!(
        reason(r#"{"os_parsers": 1}"#),
        "malformed regular expression file, should continue with 'array' after 'object'"
    );
    assert!(reason(r#"{"os_parsers": [{"regex": "("}]}"#).contains("Unclosed group"));
}
