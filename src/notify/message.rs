//! What a message says, in the forms that destinations take.

use mail_builder::MessageBuilder;
use pith_engine::json::{Map, Value};
use std::io;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub title: String,
    pub text: String,
    pub html: String,
    /// What the message is about: the id of the channel that is tried.
    pub reference: String,
}

impl Message {
    /// The message that tries a channel.
    pub fn test(id: &str) -> Self {
        Self {
            title: format!("Test Message Title-{id}"),
            text: format!("Test message content body for config id {id}"),
            html: format!(
                "<html><head><title>Test Message</title></head><body><p>Test Message for config id {id}</p></body></html>"
            ),
            reference: id.to_owned(),
        }
    }

    /// `{"<key>":"<title>\n\n<text>"}`: what chats take.
    pub fn chat(&self, key: &str) -> Vec<u8> {
        Value::Object(Map::from_iter([(key, format!("{}\n\n{}", self.title, self.text))])).to_bytes()
    }

    /// About how many bytes a mail of it has, its headers taken for so many.
    pub fn mail_bytes(&self, header_bytes: usize) -> usize {
        header_bytes + self.title.len() + self.text.len() + self.html.len()
    }

    /// A mail from one address to another. Refuses what would end a header and begin the next.
    pub fn mail(&self, from: &str, to: &str, now_ms: u64) -> io::Result<Vec<u8>> {
        if [from, to, &self.title].iter().any(|text| text.chars().any(char::is_control)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a header of the mail holds a control character"));
        }
        let local: String = self.reference.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        let domain = from.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        MessageBuilder::new()
            .from(from)
            .to(to)
            .subject(self.title.as_str())
            .date((now_ms / 1000) as i64)
            .message_id(format!("{now_ms}.{:08x}.{local}@{domain}", crc32fast::hash(to.as_bytes())))
            .text_body(self.text.as_str())
            .html_body(self.html.as_str())
            .write_to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chats_are_told_in_json() {
        let message = Message { title: "a \"b\"".into(), ..Message::test("x") };
        assert_eq!(
            String::from_utf8(message.chat("Content")).unwrap(),
            r#"{"Content":"a \"b\"\n\nTest message content body for config id x"}"#
        );
    }

    #[test]
    fn mails_have_both_forms_of_the_text() {
        let message = Message::test("x");
        let mail = String::from_utf8(message.mail("a@b.co", "c@d.co", 1_700_000_000_123).unwrap()).unwrap();
        for part in [
            "From: <a@b.co>\r\n",
            "To: <c@d.co>\r\n",
            "Subject: Test Message Title-x\r\n",
            "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n",
            "Message-ID: <1700000000123.",
            "Test message content body for config id x",
            "text/html",
        ] {
            assert!(mail.contains(part), "{part} in {mail}");
        }
        assert!(message.mail("a@b.co\r\nBcc: e@f.co", "c@d.co", 0).is_err());
        let forged = Message { title: "a\r\nBcc: e@f.co".into(), ..message };
        assert!(forged.mail("a@b.co", "c@d.co", 0).is_err());
        assert_eq!(Message::test("").mail_bytes(160), 160 + 19 + 43 + 97);
    }
}
